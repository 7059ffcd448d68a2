"""`python -m usl_core.cli`: the `usl` command of this interpreter."""

from usl_core.cli.main import main

main()
