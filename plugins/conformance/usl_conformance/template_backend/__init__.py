"""The files of `usl plugin new --kind backend`: a backend that writes LLVM IR as text. docs/backends.md explains it."""
