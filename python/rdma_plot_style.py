# SPDX-License-Identifier: GPL-2.0-only
"""How pictures look: readable for any colour vision, with the same bytes each time.

Importing this module needs no matplotlib. python/rdma_plot.py and the tools share it.
"""

import os

from ns3_rdma.results import ResultsError

# Colours that people with any colour vision distinguish (Okabe and Ito, 2008).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Formats by the endings of file names, with the metadata that would change from run to run.
FORMATS = {
    ".png": {"Software": None}, ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def figure(width, height, **settings):
    """A figure that needs no display, with settings of matplotlib (rcParams)."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({"svg.hashsalt": "rdma", **settings})
    return Figure(figsize=(width, height), layout="constrained")


def matplotlib_figure(width, height):
    """A figure, or the message that says how to install matplotlib."""
    try:
        return figure(width, height)
    except ImportError as error:
        raise ResultsError(
            "drawing needs matplotlib, which is not installed: "
            "python3 -m pip install -r python/requirements.txt"
        ) from error


def plain(axes, axis="both"):
    """A light grid along one axis or both, and no box around the picture."""
    axes.grid(True, which="major", axis=axis, color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def save(picture, path, dpi=120):
    """Writes a picture in the format of the file's name, as a whole or not at all."""
    ending = os.path.splitext(path)[1]
    partial = f"{path}.part"
    picture.savefig(partial, dpi=dpi, metadata=FORMATS[ending], format=ending[1:])
    os.replace(partial, path)


def title_of(name, run):
    """The name of a run for a picture of its ports, whose counters cover the run from end to end."""
    notes = [run.cut] if run.cut else []
    if len(run.flows) < len(run.all_flows):
        notes.append("whole run, also outside of the window")
    return f"{name} ({', '.join(notes)})" if notes else name
