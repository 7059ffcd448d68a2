"""The schedule library: functions over the public operators and cursors. A mistake here cannot make a wrong program."""
