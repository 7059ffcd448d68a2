"""Interpreters, which say what compiled programs must do: `standard`, without a heap, and `heap`, with counts."""
