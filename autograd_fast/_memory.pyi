# Only for other compiled units: memory of freed boxes and nodes.
