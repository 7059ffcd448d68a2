"""Operators on single statements and their neighbours: order, merging and splitting of writes."""
