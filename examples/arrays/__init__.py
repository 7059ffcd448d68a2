"""The programs that array programs are measured with, one a file."""
