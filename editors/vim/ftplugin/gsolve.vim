" Columns of cards are columns of characters: no tabs. K explains the word under the cursor.
setlocal expandtab comments=:# commentstring=#\ %s colorcolumn=101 keywordprg=gsolve\ explain
