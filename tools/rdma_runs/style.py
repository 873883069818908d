# SPDX-License-Identifier: GPL-2.0-only
"""How pictures look: readable in print and for any colour vision, with the same bytes each time."""

import os

import matplotlib
from matplotlib.figure import Figure

# Okabe and Ito, 2008. Markers, line styles and hatches distinguish the lines without colours.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "+++")
FORMATS = {
    ".png": {"Software": None}, ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def figure(width, height):
    """A figure that needs no display."""
    matplotlib.rcParams.update({
        "svg.hashsalt": "rdma", "hatch.linewidth": 0.6, "font.size": 9, "font.family": "DejaVu Sans"
    })
    return Figure(figsize=(width, height), layout="constrained")


def plain(axes):
    """A light grid, and no box around the picture."""
    axes.grid(True, which="major", axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


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
    """Writes a picture in the format of the file's name, as a whole or not at all."""
    ending = os.path.splitext(path)[1]
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    partial = f"{path}.part"
    picture.savefig(partial, dpi=dpi, metadata=FORMATS[ending], format=ending[1:])
    os.replace(partial, path)
