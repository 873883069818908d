# SPDX-License-Identifier: GPL-2.0-only
"""Pictures over time: flows (instrument timeseries) and ports (instrument monitor)."""

import collections
import math

import rdma_plot_style as plot

# The quantities of a flow's sample, in the units of the pictures.
PANELS = (
    ("rate (Gb/s)", lambda sample: sample.rate_bps, 1e9),
    ("window (KB)", lambda sample: sample.window_bytes, 1e3),
    ("in flight (KB)", lambda sample: sample.in_flight_bytes, 1e3),
    ("alpha", lambda sample: sample.alpha, 1),
    ("round trip (us)", lambda sample: sample.rtt_ns, 1e3),
)


def _panels(count):
    """A figure with this number of panels, one above the other, with a common time axis."""
    figure = plot.matplotlib_figure(7.2, 0.9 + 1.6 * count)
    return figure, figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]


def _finish(figure, panels, named=True):
    """Labels the time axis below the last panel, and puts the legend above the first."""
    for axes in panels:
        plot.plain(axes)
        axes.set_ylim(bottom=0)
    panels[-1].set_xlabel("time (us)")
    lines = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            lines.setdefault(label, handle)
    if named and lines:
        figure.legend(
            lines.values(), lines.keys(), loc="outside upper left", frameon=False, ncols=3,
            fontsize="small",
        )
    return figure


def draw_time_series(samples):
    """Rate, window, bytes in flight, alpha and round trip of flows, as far as any flow has them."""
    flows = collections.defaultdict(list)
    for sample in samples:
        flows[sample.flow].append(sample)
    shown = [panel for panel in PANELS if any(panel[1](sample) is not None for sample in samples)]
    figure, panels = _panels(len(shown))
    for index, (flow, rows) in enumerate(sorted(flows.items())):
        for axes, (name, value, unit) in zip(panels, shown):
            points = [(row.time_ns / 1e3, value(row) / unit) for row in rows if value(row) is not None]
            axes.plot(
                [point[0] for point in points], [point[1] for point in points], drawstyle="steps-post",
                linewidth=1.2 if len(flows) <= len(plot.COLOURS) else 0.6,
                color=plot.COLOURS[index % len(plot.COLOURS)], label=f"flow {flow}",
            )
            axes.set_ylabel(name)
    if len(flows) > len(plot.COLOURS):
        panels[0].set_title(f"{len(flows)} flows", fontsize="medium", loc="left")
    return _finish(figure, panels, len(flows) <= len(plot.COLOURS))


def _polls(rows, before, value):
    """Points of a port's rows; polls of which it has no row, because nothing changed, are 0."""
    points = []
    for row in rows:
        if not points or points[-1][0] < before[row.time_ns] / 1e3:
            points.append((before[row.time_ns] / 1e3, 0.0))
        points.append((row.time_ns / 1e3, value(row)))
    return points


def draw_monitor(readings, top):
    """Queues and pause times of the ports and priorities with the longest queues and pauses."""
    ports, names = collections.defaultdict(list), {}
    for reading in readings:
        key = reading.node, reading.port, reading.priority
        ports[key].append(reading)
        names[key] = f"{reading.port_name}, priority {reading.priority}"
    times = sorted({reading.time_ns for reading in readings})
    # The last poll, at the end of the run, may follow sooner than a period. A poll without rows found
    # nothing changed, so what a row tells happened within a period.
    gaps = [later - earlier for earlier, later in zip(times, times[1:-1])]
    period = min(gaps, default=math.inf)
    before = {time: max(earlier, time - period) for earlier, time in zip([0.0, *times], times)}
    longest = sorted(ports, key=lambda key: (-max(row.peak_queue_bytes for row in ports[key]), key))
    paused = sorted(
        (key for key in ports if ports[key][-1].paused_ns > 0),
        key=lambda key: (-ports[key][-1].paused_ns, key),
    )[: top // 2]
    longest = longest[: top - len(paused)]
    figure, panels = _panels(2)
    shown = list(dict.fromkeys(longest + paused))

    def draw(axes, key, points):
        index = shown.index(key)
        axes.plot(
            [point[0] for point in points], [point[1] for point in points],
            "-" if index < len(plot.COLOURS) else "--", drawstyle="steps-pre", linewidth=1.2,
            color=plot.COLOURS[index % len(plot.COLOURS)], label=names[key],
        )

    for key in longest:
        draw(panels[0], key, _polls(ports[key], before, lambda row: row.peak_queue_bytes / 1e3))
    for key in paused:
        shares, last = {}, 0.0
        for row in ports[key]:
            shares[row] = 100 * (row.paused_ns - last) / (row.time_ns - before[row.time_ns])
            last = row.paused_ns
        draw(panels[1], key, _polls(ports[key], before, shares.get))
    panels[0].set_ylabel("longest queue\nsince last poll (KB)")
    panels[1].set_ylabel("paused (% of time)")
    return _finish(figure, panels)
