# SPDX-License-Identifier: GPL-2.0-only
"""How pictures look in print: python/rdma_plot_style.py, and lines and bars for black and white."""

import functools
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "python"))

import rdma_plot_style  # noqa: E402
from rdma_plot_style import COLOURS  # noqa: E402

# Markers, line styles and hatches distinguish the lines without colours.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "+++")

figure = functools.partial(rdma_plot_style.figure, **{
    "hatch.linewidth": 0.6, "font.size": 9, "font.family": "DejaVu Sans",
})
plain = functools.partial(rdma_plot_style.plain, axis="y")


def line(index):
    """The look of a line."""
    return {
        "color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)],
        "linestyle": LINES[index % len(LINES)], "markersize": 4.5, "linewidth": 1.4,
    }


def bar(index):
    """The look of a bar."""
    return {
        "facecolor": COLOURS[index % len(COLOURS)], "hatch": HATCHES[index % len(HATCHES)],
        "edgecolor": "white", "linewidth": 0,
    }


def save(picture, path, dpi=120):
    """Writes a picture into a folder, which is made if it does not exist."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    rdma_plot_style.save(picture, path, dpi)
