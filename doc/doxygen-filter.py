#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the text of a header that Doxygen reads.

Overrides without a description of their own are left out: they are described where the base class
declares them, which for ns-3's classes is in ns-3's documentation. An option of RdmaFabricOptions
without a description of its own gets the one that users read. Lines keep their numbers.
"""

import re
import sys

# From the end of the previous declaration, or of its body, to the end of an override.
OVERRIDE = re.compile(
    r"(?<=[;{}:\n])[^;{}#]*?\)(?: const)?(?: noexcept)? (?:override|final)(?:;|\s*\{[^{}]*\})"
)


# Matches the definition of an option. The group is the help text, the third argument of Define().
OPTION = re.compile(
    r"^    (?=(?:std::string|uint32_t|double|bool) \w+\{\s*"
    r"Define\(&\w+,\s*\"[^\"]*\",\s*\"([^\"]*)\"\)\};)",
    re.M,
)


def describe(match):
    """The description of an option, before its variable."""
    before = match.string[: match.start()].rstrip("\n").rpartition("\n")[2]
    return match[0] if before.lstrip().startswith("///") else f"    /** {match[1]} */ "


def drop(match):
    """The line breaks, and what comes before the override itself."""
    text = match[0]
    comments = re.match(r"(?:\s|/\*.*?\*/|//[^\n]*\n)*", text, re.S)[0]
    if "/**" in comments or "///" in comments:
        return text
    return comments + "\n" * text[len(comments):].count("\n")


with open(sys.argv[1], encoding="utf-8") as handle:
    sys.stdout.write(OPTION.sub(describe, OVERRIDE.sub(drop, handle.read())))
