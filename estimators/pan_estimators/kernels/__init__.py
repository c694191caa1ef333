"""Inner loops that numba compiles. Each is imported where it is first needed: importing numba takes a while."""
