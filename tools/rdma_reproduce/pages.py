# SPDX-License-Identifier: GPL-2.0-only
"""Writes tables into pages with prose that people write.

A table stands between two comments. The first comment names the table:

    <!-- reproduce: rows B1-B3 B7 -->
    <!-- /reproduce -->

Tables are rows, summary, grid, readings, reading-list, cases and commits.
"""

import os
import re

from rdma_runs.run import RunError

BLOCK = re.compile(r"(<!-- reproduce: ([^>]*?) -->\n)(.*?)(<!-- /reproduce -->)", re.S)
OPEN = re.compile(r"<!-- reproduce: ")


def names(words, known, place):
    """The names of rows in words such as B1, B3-B5."""
    result = []
    for word in words:
        first, _, last = word.partition("-")
        each = list(known)
        for name in (first, last or first):
            if name not in known:
                raise RunError(f"{place}: there is no row {name}; accepted: {', '.join(known)}")
        begin, end = each.index(first), each.index(last or first)
        if end < begin or first[0] != (last or first)[0]:
            raise RunError(f"{place}: {word}: accepted: FIRST-LAST of one letter")
        result += each[begin:end + 1]
    return result


def filled(text, table_of, place):
    """The text with its tables: table_of(words) makes one."""
    def block(match):
        return f"{match[1]}\n{table_of(match[2].split())}\n\n{match[4]}"

    result = BLOCK.sub(block, text)
    if len(OPEN.findall(text)) != len(BLOCK.findall(text)):
        raise RunError(f"{place}: a reproduce comment has no <!-- /reproduce --> behind it")
    return result


def noted(text, note):
    """The text with a note below its title."""
    title, _, rest = text.partition("\n")
    return f"{title}\n\n**{note}**\n{rest}" if note else text


def write(source, target, table_of, note=""):
    """Writes a page with a note below its title; leaves the file untouched if nothing has changed."""
    try:
        with open(source, encoding="utf-8") as handle:
            text = handle.read()
    except OSError as error:
        raise RunError(f"{source}: {error.strerror}") from None
    result = noted(filled(text, table_of, source), note)
    if os.path.exists(target):
        with open(target, encoding="utf-8") as handle:
            if handle.read() == result:
                return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(f"{target}.part", "w", encoding="utf-8") as handle:
        handle.write(result)
    os.replace(f"{target}.part", target)
