"""`gsolve report`: a result file as one page of HTML, with its plots and its machine in motion."""
