# SPDX-License-Identifier: GPL-2.0-only
"""Command lines of the Python programs: a wrong argument is answered by one line and status 2."""

import argparse
import difflib
import re


class Arguments(argparse.ArgumentParser):
    """argparse's parser, without the usage in front of a message, and without shortened options."""

    def __init__(self, *positional, **named):
        super().__init__(*positional, **{"allow_abbrev": False, **named})

    def error(self, message):
        """Ends the program with one line on standard error."""
        unknown = re.match(r"unrecognized arguments: (-[^\s=]+)", message)
        known = [name for action in self._actions for name in action.option_strings]
        near = difflib.get_close_matches(unknown[1], known, 1, 0.75) if unknown else []
        hint = f"; did you mean {near[0]}?" if near else f"; {self.prog} --help lists the arguments"
        self.exit(2, f"{self.prog}: {message}{'' if 'accepted: ' in message else hint}\n")
