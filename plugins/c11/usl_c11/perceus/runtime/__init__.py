"""The run-time system of compiled functional programs: usl_rt.h and usl_rt.c."""
