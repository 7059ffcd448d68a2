"""The object language: names, types, nodes, and walks over them."""
