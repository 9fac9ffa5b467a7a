" vim takes *.rad for Radiance; a deck has lines that begin with / and a keyword.
autocmd BufRead *.rad,*.inc if search('^\s*/\a', 'nw') | set filetype=gsolve | endif
autocmd BufNewFile *.rad set filetype=gsolve
