# SPDX-License-Identifier: GPL-2.0-only
"""A picture of a fabric: nodes by level with their names, links coloured by their load or pause time."""

import collections
import math

import rdma_plot_style as plot
from ns3_rdma.results import ResultsError

# Preamble, start delimiter and gap between frames on the line.
LINE_OVERHEAD_BYTES = 20
# Inches.
LEVEL_HEIGHT = 1.5
MARGIN = 0.3
GAP = 0.15
NARROWEST, WIDEST = 5.0, 15.0
FONT = 7.0
NO_COLOUR = "#cccccc"


def _load(rows, seconds):
    """Share of the line rate in %."""
    bits = 8 * sum(row.tx_bytes + LINE_OVERHEAD_BYTES * row.tx_frames for row in rows)
    return 100 * bits / (rows[0].line_rate_bps * seconds)


# Quantities that colour a direction of a link: the label of the colour bar, and a function from the
# rows of the sending port and the active time in seconds to the value. The pause time of
# a port is that of the priority that is paused longest.
COLOURS = {
    "load": ("load (% of line rate)", _load),
    "pause": ("time paused (us)", lambda rows, _: max(row.paused_ns for row in rows) / 1e3),
    "drops": ("drops (frames)", lambda rows, _: sum(row.drops for row in rows)),
    "marks": ("ECN marks (packets)", lambda rows, _: sum(row.ecn_marks for row in rows)),
}


def group_ports(rows):
    """The rows of each port: (node, port) to rows."""
    ports = collections.defaultdict(list)
    for row in rows:
        ports[row.node, row.port].append(row)
    return ports


def find_levels(ports):
    """The number of links from each node to the nearest host: hosts have level 0."""
    neighbours = collections.defaultdict(list)
    levels = {}
    for (node, _), (row, *_) in ports.items():
        neighbours[node].append(row.peer)
        if row.role == "host":
            levels[node] = 0
    reached = collections.deque(levels)
    while reached:
        node = reached.popleft()
        for peer in neighbours[node]:
            if peer not in levels:
                levels[peer] = levels[node] + 1
                reached.append(peer)
    return levels


def place_nodes(ports, levels):
    """Places of the nodes from 0 to 1 in their level, such that nodes are near those below them."""
    below = collections.defaultdict(list)
    leaf = {}
    for (node, _), (row, *_) in sorted(ports.items()):
        if levels[row.peer] < levels[node]:
            below[node].append(row.peer)
        elif levels[node] == 0:
            leaf.setdefault(node, row.peer)
    places = {}
    for level in range(max(levels.values()) + 1):
        nodes = [node for node in sorted(levels) if levels[node] == level]
        if level == 0:
            nodes.sort(key=lambda node: (leaf.get(node, node), node))
        else:
            means = {node: sum(places[peer] for peer in below[node]) / len(below[node]) for node in nodes}
            nodes.sort(key=lambda node: (round(means[node], 9), node))
            gaps = [means[after] - means[node] for node, after in zip(nodes, nodes[1:])]
            if level == 1 and all(gap > 0.5 / len(nodes) for gap in gaps):
                places.update(means)
                continue
        places.update({node: (index + 0.5) / len(nodes) for index, node in enumerate(nodes)})
    return places


def shown_labels(names, xs, width_of):
    """The names to show on a level: all, every second, every third and so on, so that none overlap."""
    for step in range(1, len(names) + 1):
        chosen = list(range(0, len(names), step))
        if all(
            xs[after] - xs[index] > (width_of(names[index]) + width_of(names[after])) / 2
            for index, after in zip(chosen, chosen[1:])
        ):
            return chosen
    return []


def _text_inches(text):
    """The approximate width of a text."""
    return 0.62 * FONT / 72 * len(text)


def _curve(start, end, bend):
    """Points from start to end, on a line or, with a bend in inches, on an arc above the line."""
    if not bend:
        return [start, end]
    steps = [index / 24 for index in range(25)]
    return [
        (start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t + bend * 4 * t * (1 - t))
        for t in steps
    ]


def _to_the_right(points, distance):
    """The points of a curve, moved to the right-hand side of its direction."""
    moved = []
    for index, (x, y) in enumerate(points):
        ahead = points[min(index + 1, len(points) - 1)]
        behind = points[max(index - 1, 0)]
        dx, dy = ahead[0] - behind[0], ahead[1] - behind[1]
        length = math.hypot(dx, dy) or 1
        moved.append((x + distance * dy / length, y - distance * dx / length))
    return moved


class _Layout:
    """Positions of nodes and names, in inches."""

    def __init__(self, ports):
        self.names = {row.node: row.node_name for (row, *_) in ports.values()}
        self.levels = find_levels(ports)
        places = place_nodes(ports, self.levels)
        self.rows = collections.defaultdict(list)
        for node in sorted(places, key=places.get):
            self.rows[self.levels[node]].append(node)
        hosts = [self.names[node] for node in self.rows[0]]
        # Names of hosts are below the hosts, upright if they are narrower in this way.
        self.upright = len(hosts) * max(map(_text_inches, hosts)) > WIDEST
        pitch = 1.6 * FONT / 72 if self.upright else GAP + max(map(_text_inches, hosts))
        widest = max(
            len(nodes) * (pitch if level == 0 else 1.4 * max(_text_inches(self.names[node]) for node in nodes))
            for level, nodes in self.rows.items()
        )
        self.width = min(max(widest, NARROWEST), WIDEST)
        self.foot = MARGIN + (max(map(_text_inches, hosts)) if self.upright else FONT / 72)
        self.points = {
            node: (MARGIN + places[node] * self.width, self.foot + LEVEL_HEIGHT * self.levels[node])
            for node in places
        }
        self.order = {
            node: index for nodes in self.rows.values() for index, node in enumerate(nodes)
        }

    def bend(self, a, b):
        """How far a link bends upwards, to pass the nodes between its ends if both are on one level."""
        if self.levels[a] != self.levels[b] or abs(self.order[a] - self.order[b]) == 1:
            return 0
        return 0.25 + 0.1 * abs(self.points[a][0] - self.points[b][0])

    def chosen(self, level):
        """Nodes of a level whose names are shown."""
        nodes = self.rows[level]
        height = 1.3 * FONT / 72
        upright = level == 0 and self.upright
        shown = shown_labels(
            [self.names[node] for node in nodes], [self.points[node][0] for node in nodes],
            lambda name: height if upright else _text_inches(name) + 0.9 * GAP,
        )
        return [nodes[index] for index in shown]


def _draw_links(axes, layout, ports, values):
    """Two lines for each link, traffic on the right; those with the greatest values are on top."""
    from matplotlib.collections import LineCollection

    apart = min(0.035, max(0.012, 0.5 / math.sqrt(len(ports))))
    parallel = collections.Counter()
    lines = []
    for key, (row, *_) in sorted(ports.items()):
        pair = row.node, row.peer
        a, b = layout.points[row.node], layout.points[row.peer]
        curve = _curve(a, b, layout.bend(*pair))
        lines.append((values[key], _to_the_right(curve, apart * (0.5 + parallel[pair]))))
        parallel[pair] += 1
    lines.sort(key=lambda line: line[0])
    width = 72 * apart * 0.75
    idle = [points for value, points in lines if value == 0]
    used = [line for line in lines if line[0] > 0]
    axes.add_collection(LineCollection(idle, colors=NO_COLOUR, linewidths=width, zorder=1))
    collection = LineCollection(
        [points for _, points in used], cmap="viridis_r", linewidths=width, zorder=2,
        capstyle="butt",
    )
    collection.set_array([value for value, _ in used])
    collection.set_clim(0, max((value for value, _ in used), default=1))
    axes.add_collection(collection)
    return collection


def _draw_nodes(axes, layout):
    """Hosts as dots with their names below, switches as boxes with their names."""
    for level, nodes in layout.rows.items():
        axes.plot(
            *zip(*(layout.points[node] for node in nodes)), "o" if level == 0 else "s", color="#333333",
            markersize=3, linestyle="none", zorder=3,
        )
        for node in layout.chosen(level):
            x, y = layout.points[node]
            if level == 0:
                axes.text(
                    x, y - 0.06, layout.names[node], ha="center", va="top", fontsize=FONT,
                    rotation=90 if layout.upright else 0,
                )
            else:
                axes.text(
                    x, y, layout.names[node], ha="center", va="center", fontsize=FONT, zorder=4,
                    bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "#333333",
                          "linewidth": 0.8},
                )


def draw_fabric(name, run, colour):
    """The fabric of a run; each link has a line for each direction, traffic keeping to the right."""
    label, value = COLOURS[colour]
    ports = group_ports(run.ports)
    if not ports:
        raise ResultsError(f"{name}: ports.csv has no ports")
    if not run.active_us:
        simulated = run.summary.get("sim_time_us")
        raise ResultsError(
            f"{name}: summary.json: sim_time_us: {simulated}; accepted: after the start of the first flow"
        )
    values = {key: value(rows, run.active_us / 1e6) for key, rows in ports.items()}
    layout = _Layout(ports)
    bends = [layout.bend(row.node, row.peer) for (row, *_) in ports.values()]
    top = layout.foot + LEVEL_HEIGHT * max(layout.levels.values()) + max(*bends, 0) + MARGIN
    width, height = layout.width + 2 * MARGIN + 0.9, top + 0.3
    figure = plot.matplotlib_figure(width, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, (layout.width + 2 * MARGIN) / width, top / height))
    axes.set(xlim=(0, layout.width + 2 * MARGIN), ylim=(0, top))
    axes.set_axis_off()
    collection = _draw_links(axes, layout, ports, values)
    _draw_nodes(axes, layout)
    if any(values.values()):
        bar = figure.add_axes(
            ((layout.width + 2 * MARGIN) / width, 0.1, 0.15 / width, max(0.3, top / height - 0.2))
        )
        figure.colorbar(collection, cax=bar).set_label(label, fontsize="small")
        bar.tick_params(labelsize="small")
    what = f"{plot.title_of(name, run)}: {label}, " + ("grey: 0" if any(values.values()) else "0 everywhere")
    figure.text(0.5 * MARGIN / width, 1 - 0.08 / height, what, va="top", fontsize="medium")
    return figure
