# SPDX-License-Identifier: GPL-2.0-only
"""Draws a sweep: means over the seeds with 95% intervals by Student's t."""

import pandas

from . import style
from .student import estimate


def table(sweep, rows):
    """The metrics of the sweep's runs as numbers, with the options of the grid as texts."""
    keys = [key for run in sweep.runs() for key in run.keys() if key in rows]
    frame = pandas.DataFrame([rows[key] for key in keys])
    for name in sweep.names or sweep.patterns:
        if name in frame:
            frame[name] = pandas.to_numeric(frame[name], errors="coerce")
    return frame


def numbers(texts):
    """The texts as numbers, or None if one is not a number."""
    try:
        return [float(text) for text in texts]
    except ValueError:
        return None


def draw_line(axes, frame, plot, values, index, label):
    """One line: the mean at each value of x, with its interval as a bar and a band."""
    scale = numbers(values) or list(range(len(values)))
    places, means, halves = [], [], []
    for place, value in zip(scale, values):
        each = frame.loc[frame[plot.x] == value, plot.y].dropna()
        found = estimate(each)
        if found:
            places.append(place)
            means.append(found.mean)
            halves.append(found.half or 0.0)
    if not places:
        return
    look = style.line(index)
    axes.errorbar(places, means, yerr=halves, capsize=2.5, elinewidth=0.9, label=label, **look)
    if numbers(values):
        low = [mean - half for mean, half in zip(means, halves)]
        high = [mean + half for mean, half in zip(means, halves)]
        axes.fill_between(places, low, high, color=look["color"], alpha=0.15, linewidth=0)


def draw(sweep, plot, frame):
    """The picture of a plot."""
    panels = sweep.grid.get(plot.panel, [None])
    lines = sweep.grid.get(plot.line, [None])
    values = sweep.grid[plot.x]
    if numbers(values):
        values = sorted(values, key=float)
    picture = style.figure(1.2 + 3.0 * len(panels), 3.2)
    all_axes = picture.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(all_axes, panels):
        part = frame if panel is None else frame[frame[plot.panel] == panel]
        for index, line in enumerate(lines):
            chosen = part if line is None else part[part[plot.line] == line]
            label = None if line is None else f"{plot.line} {line}"
            draw_line(axes, chosen, plot, values, index, label)
        if panel is not None:
            axes.set_title(f"{plot.panel} {panel}", fontsize="medium", loc="left")
        if not numbers(values):
            axes.set_xticks(range(len(values)), values)
        axes.set_xlabel(plot.x)
        style.plain(axes)
    all_axes[0].set_ylabel(plot.y)
    handles, labels = all_axes[0].get_legend_handles_labels()
    if handles:
        picture.legend(handles, labels, loc="outside upper left", frameon=False, ncols=4)
    return picture


def draw_all(sweep, rows):
    """Writes all pictures of a sweep; returns their names."""
    frame = table(sweep, rows)
    for plot in sweep.plots:
        style.save(draw(sweep, plot, frame), plot.file)
    return [plot.file for plot in sweep.plots]


def means(sweep, rows):
    """A line for each combination of the grid: the mean of each metric with its interval."""
    frame = table(sweep, rows)
    names = [name for name in sweep.names or sweep.patterns if name in frame]
    lines = []
    for cell in sweep.cells():
        part = frame
        for name, value in cell.items():
            part = part[part[name] == value]
        text = ", ".join(f"{name} {value}" for name, value in cell.items())
        for name in names:
            found = estimate(part[name].dropna())
            if found:
                half = "" if found.half is None else f" +- {found.half:.3g}"
                text += f"; {name} {found.mean:.6g}{half}"
        lines.append(text)
    return lines
