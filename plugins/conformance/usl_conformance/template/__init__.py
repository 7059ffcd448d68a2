"""The files of a new plugin, as `string.Template` texts over $name, $package, $registers and $requires (`usl plugin new`).

A file called X.tmpl becomes X; the folder `package` becomes the Python package. Every file here is part of what is written.
"""
