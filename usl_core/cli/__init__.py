"""The `usl` command: options in `main` and `plugin`, what a command does in a module of its own."""
