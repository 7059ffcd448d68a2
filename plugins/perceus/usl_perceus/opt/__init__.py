"""Transformations of the core before Perceus, and facts about whole programs."""
