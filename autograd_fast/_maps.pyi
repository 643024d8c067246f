# It has nothing for Python.
