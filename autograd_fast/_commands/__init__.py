"""The commands of ``python -m autograd_fast``, one a module; each is imported when it is asked for."""
