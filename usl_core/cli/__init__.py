"""The `usl` command."""
