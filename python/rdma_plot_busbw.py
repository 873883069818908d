# SPDX-License-Identifier: GPL-2.0-only
"""Bus bandwidth by size, from tables that rdma-collective or nccl-tests print."""

import rdma_plot_style as plot
from ns3_rdma.results import ResultsError

# Columns of a row: size, count, type, redop, root; then time, algbw, busbw and #wrong out of place,
# and the four in place. rdma-collective adds the share.
SIZE, BUSBW = 0, 7
LEAST = 13


def read_busbw(path):
    """Pairs of size in bytes and bus bandwidth in GB/s, out of place."""
    points = []
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                words = line.split()
                if not words or words[0].startswith("#"):
                    continue
                try:
                    if len(words) < LEAST:
                        raise ValueError
                    points.append((int(words[SIZE]), float(words[BUSBW])))
                except ValueError:
                    raise ResultsError(
                        f"{path}:{number}: no row of a table; accepted: the output of "
                        "rdma-collective or of nccl-tests"
                    ) from None
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ResultsError(f"{path}: no text in UTF-8") from None
    points = [point for point in points if point[0] > 0]
    if not points:
        raise ResultsError(f"{path}: there are no rows with a size")
    return points


def draw_busbw(tables, write_size):
    """A line for each pair of label and points; sizes are logarithmic."""
    figure = plot.matplotlib_figure(6.4, 4.0)
    axes = figure.subplots()
    for index, (label, points) in enumerate(tables):
        axes.plot(
            [size for size, _ in points], [busbw for _, busbw in points],
            marker="o", markersize=3, color=plot.COLOURS[index % len(plot.COLOURS)], label=label,
        )
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(write_size)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("size")
    axes.set_ylabel("bus bandwidth (GB/s)")
    plot.plain(axes)
    figure.legend(loc="outside upper left", frameon=False, ncols=2)
    return figure
