# SPDX-License-Identifier: GPL-2.0-only
"""Writes files whole or not at all."""

import os


def replace(path, text):
    """Replaces a file, so that no reader sees half of it and no killed writer leaves half of it.

    The caller keeps others from writing the file. A killed writer leaves PATH.part, which the next
    one replaces.
    """
    part = f"{path}.part"
    with open(part, "w", encoding="utf-8", newline="") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(part, path)
