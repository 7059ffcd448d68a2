"""usl plugin."""
