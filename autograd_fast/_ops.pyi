# Only for other compiled units: the operations that the operators of boxes stand for.
