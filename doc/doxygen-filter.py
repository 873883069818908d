#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What Doxygen reads of a header: all but the overrides without a description of their own.

Those are described where the base class declares them, which for ns-3's classes is in ns-3's
documentation. Lines keep their numbers.
"""

import re
import sys

# From the end of the previous declaration, or of its body, to the end of an override.
OVERRIDE = re.compile(
    r"(?<=[;{}:\n])[^;{}#]*?\)(?: const)?(?: noexcept)? (?:override|final)(?:;|\s*\{[^{}]*\})"
)


def drop(match):
    """The line breaks, and what comes before the override itself."""
    text = match[0]
    comments = re.match(r"(?:\s|/\*.*?\*/|//[^\n]*\n)*", text, re.S)[0]
    if "/**" in comments or "///" in comments:
        return text
    return comments + "\n" * text[len(comments):].count("\n")


with open(sys.argv[1], encoding="utf-8") as handle:
    sys.stdout.write(OVERRIDE.sub(drop, handle.read()))
