"""The one room for what gsolve needs of numba beyond `njit`."""
