"""The mutation test: each condition of the kernel is disabled in turn, and some test must fail (`make mutate`)."""
