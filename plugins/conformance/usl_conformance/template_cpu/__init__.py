"""The files in which `usl plugin new --kind cpu` differs from `usl_conformance.template`."""
