"""What every kernel needs: bodies, vectors, rotations, functions, skews, and the one room for numba's internals."""
