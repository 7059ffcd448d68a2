"""An accelerator with four lanes, to show what a plugin consists of."""
