"""Plugins: the hooks they implement, and the manager that finds and isolates them."""
