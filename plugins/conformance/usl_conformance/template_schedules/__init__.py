"""The files of `usl plugin new --kind schedules`."""
