"""``python -m autograd_fast COMMAND``: running programs on this package, and looking at it."""

from __future__ import annotations

import importlib
import sys

# name: module with `main(arguments)`, which returns the exit status, and what it is for
COMMANDS = {
    "run": ("._commands.run", "run a program with autograd_fast in the place of autograd"),
    "info": ("._commands.info", "print versions, compiled units and fast paths"),
    "check": ("._commands.check", "compare some derivatives with finite differences"),
    "coverage": ("._coverage", "print which functions of NumPy are differentiable, measured"),
}

USAGE = "usage: python -m autograd_fast COMMAND [ARGUMENTS]\n\n" + "".join(
    f"  {name:<10}{purpose}\n" for name, (_, purpose) in COMMANDS.items()
)


def main(arguments: list[str]) -> int:
    """Run the command that `arguments` names; returns the exit status."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0 if arguments else 2
    name, *rest = arguments
    if name not in COMMANDS:
        print(f"autograd_fast: there is no command {name!r}\n{USAGE}", end="", file=sys.stderr)
        return 2
    status: int = importlib.import_module(COMMANDS[name][0], "autograd_fast").main(rest)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
