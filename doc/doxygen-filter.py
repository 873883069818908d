#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the text of a header that Doxygen reads.

Overrides without a description of their own are left out: they are described where the base class
declares them, which for ns-3's classes is in ns-3's documentation. An option of RdmaFabricOptions
without a description of its own gets the one that users read. A parameter whose name is in a
comment, because the function does not use the parameter, gets its name back. Lines keep their
numbers.
"""

import re
import sys

# Comments and literals, in which no declaration begins or ends.
OPAQUE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"' r"|(?<!\w)'(?:\\.|[^'\\\n])+'", re.S)
# An override, without the comments before it. The group keeps access specifiers out of it.
OVERRIDE = re.compile(
    r"(?:(?<=[;{}\n])|(?<=\w:))\s*(?:(?:public|protected|private):\s*)*"
    r"(?P<override>[^\s;{}#:][^;{}#]*?\)(?:\s+const)?(?:\s+noexcept)?\s+(?:override|final)"
    r"(?:;|\s*\{[^{}]*\}))"
)
# The comments before a declaration.
COMMENTS = re.compile(r"(?:/\*.*?\*/|//[^\n]*|\s)*\Z", re.S)
# The name of an unused parameter.
UNUSED = re.compile(r"/\*(\w+)\*/(?=\s*[,)=])")

# The definition of an option. The group is the help text, the third argument of Define().
OPTION = re.compile(
    r"^    (?=(?:std::string|uint32_t|double|bool) \w+\{\s*"
    r"Define\(&\w+,\s*\"[^\"]*\",\s*\"([^\"]*)\"(?:,\s*\{[^{}]*\})?\)\};)",
    re.M,
)


def describe(match):
    """The description of an option, before its variable."""
    before = match.string[: match.start()].rstrip("\n").rpartition("\n")[2]
    return match[0] if before.lstrip().startswith("///") else f"    /** {match[1]} */ "


def blank(match):
    """Spaces in place of a text; its line breaks stay."""
    return re.sub(r"[^\n]", " ", match[0])


def is_described(text, opaque, position):
    """Whether a comment for Doxygen stands right before a declaration."""
    # In opaque, everything between the end of the previous declaration and this one is white.
    begin = len(opaque[:position].rstrip())
    return re.search(r"/\*\*(?!<)|///(?!<)", text[begin:position]) is not None


def without_overrides(text):
    """The text without the overrides that have no description."""
    opaque = OPAQUE.sub(blank, text)
    parts, end = [], 0
    for match in OVERRIDE.finditer(opaque):
        begin = match.start("override")
        if not is_described(text, opaque, begin):
            parts += [text[end:begin], "\n" * text.count("\n", begin, match.end())]
            end = match.end()
    return "".join([*parts, text[end:]])


def filtered(text):
    """The text that Doxygen reads."""
    return OPTION.sub(describe, UNUSED.sub(r"\1", without_overrides(text)))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(filtered(header.read()))
