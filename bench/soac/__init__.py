"""Array programs against NumPy, Numba and JAX."""
