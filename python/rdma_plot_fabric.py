# SPDX-License-Identifier: GPL-2.0-only
"""A picture of a fabric: nodes by level with their names, links coloured by their load or pause time, or
by the NICs below them. NICs of one host stand in a box with the name of the host. What --failures
took down is crossed out, and its links are grey."""

import collections
import math

import rdma_plot_style as plot
from ns3_rdma.results import ResultsError
from rdma_plot_failures import find_failures

# Preamble, start delimiter and gap between frames on the line.
LINE_OVERHEAD_BYTES = 20
# Inches.
LEVEL_HEIGHT = 1.5
MARGIN = 0.3
GAP = 0.15
NARROWEST, WIDEST = 5.0, 15.0
FONT = 7.0
NO_COLOUR = "#cccccc"
DEAD_COLOUR = "#999999"
CROSS_COLOUR = "#c00000"
# Failures that the legend names; it counts the others.
MOST_FAILURES = 4
# Between the boxes of two hosts, in distances of two NICs.
HOST_GAP = 1.4
# Between two NICs of a host, in inches.
NIC_PITCH = 0.16
# Lines of separate networks of switches.
PLANE_STYLES = ("-", "--", ":", "-.")


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


def find_hosts(ports):
    """The NICs of each host: the name of the host to its nodes, in the order of their numbers.

    Files of runs whose hosts have one NIC each lack the columns, and each node is a host of its own.
    """
    nics = {}
    for (node, _), (row, *_) in ports.items():
        if row.role == "host":
            host = getattr(row, "host", None)
            nics[node] = (node if host is None else host, getattr(row, "nic", None) or 0)
    hosts = collections.defaultdict(list)
    names = {node: row.node_name for (node, _), (row, *_) in ports.items()}
    for node, (host, _) in sorted(nics.items(), key=lambda item: (*item[1], item[0])):
        hosts[names[host]].append(node)
    return dict(hosts)


def find_planes(ports):
    """The switches of each separate network of switches, by the switch with the lowest id.

    Networks that no NIC joins, such as rails without common spines, count as one.
    """
    neighbours = collections.defaultdict(set)
    switches = {row.node for (row, *_) in ports.values() if row.role != "host"}
    for row, *_ in ports.values():
        if row.node in switches and row.peer in switches:
            neighbours[row.node].add(row.peer)
    planes = []
    for switch in sorted(switches):
        if not any(switch in plane for plane in planes):
            plane, reached = {switch}, [switch]
            while reached:
                new = neighbours[reached.pop()] - plane
                plane |= new
                reached += sorted(new)
            planes.append(plane)
    peers = collections.defaultdict(set)
    for row, *_ in ports.values():
        if row.node not in switches:
            peers[row.node].add(row.peer)
    joins = any(sum(bool(reached & plane) for plane in planes) > 1 for reached in peers.values())
    return planes if joins else [switches]


def find_nics_below(ports, hosts, levels):
    """The numbers of the NICs below each node, by node, over links that lead up."""
    below = {node: {number} for nodes in hosts.values() for number, node in enumerate(nodes)}
    for (node, _), (row, *_) in sorted(ports.items(), key=lambda item: (levels[item[0][0]], item[0])):
        if levels[row.peer] > levels[node]:
            below.setdefault(row.peer, set()).update(below[node])
    return below


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
            # The NICs of a host stand side by side, with a gap between hosts of several NICs.
            hosts = sorted(find_hosts(ports).values(), key=lambda nics: (leaf.get(nics[0], nics[0]), nics[0]))
            gap = HOST_GAP if any(len(nics) > 1 for nics in hosts) else 0
            total = len(nodes) + gap * len(hosts)
            at = gap / 2
            for nics in hosts:
                places.update({node: (at + index + 0.5) / total for index, node in enumerate(nics)})
                at += len(nics) + gap
            continue
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
        self.hosts = find_hosts(ports)
        self.boxed = any(len(nics) > 1 for nics in self.hosts.values())
        places = place_nodes(ports, self.levels)
        self.rows = collections.defaultdict(list)
        for node in sorted(places, key=places.get):
            self.rows[self.levels[node]].append(node)
        # Names of hosts are below the hosts, upright if they are narrower in this way.
        longest = max(map(_text_inches, self.hosts))
        self.upright = len(self.hosts) * longest > WIDEST
        pitch = 1.6 * FONT / 72 if self.upright else GAP + longest
        if self.boxed:
            pitch = max(pitch, NIC_PITCH * (HOST_GAP + max(map(len, self.hosts.values()))))
        widest = max(
            len(self.hosts) * pitch if level == 0
            else len(nodes) * 1.4 * max(_text_inches(self.names[node]) for node in nodes)
            for level, nodes in self.rows.items()
        )
        self.width = min(max(widest, NARROWEST), WIDEST)
        self.foot = MARGIN + (longest if self.upright else FONT / 72) + (0.1 if self.boxed else 0)
        self.points = {
            node: (MARGIN + places[node] * self.width, self.foot + LEVEL_HEIGHT * self.levels[node])
            for node in places
        }
        self.order = {
            node: index for nodes in self.rows.values() for index, node in enumerate(nodes)
        }

    def host_names(self):
        """The names of hosts that are shown, with the places of their middles, from the left."""
        middles = {
            name: sum(self.points[node][0] for node in nics) / len(nics) for name, nics in self.hosts.items()
        }
        names = sorted(middles, key=lambda name: (middles[name], name))
        height = 1.3 * FONT / 72
        shown = shown_labels(
            names, [middles[name] for name in names],
            lambda name: height if self.upright else _text_inches(name) + 0.9 * GAP,
        )
        return [(names[index], middles[names[index]]) for index in shown]

    def bend(self, a, b):
        """How far a link bends upwards, to pass the nodes between its ends if both are on one level."""
        if self.levels[a] != self.levels[b] or abs(self.order[a] - self.order[b]) == 1:
            return 0
        return 0.25 + 0.1 * abs(self.points[a][0] - self.points[b][0])

    def chosen(self, level):
        """Switches of a level whose names are shown."""
        nodes = self.rows[level]
        shown = shown_labels(
            [self.names[node] for node in nodes], [self.points[node][0] for node in nodes],
            lambda name: _text_inches(name) + 0.9 * GAP,
        )
        return [nodes[index] for index in shown]


def _draw_links(axes, layout, ports, values, failures):
    """Two lines for each link that was never down, traffic on the right; those with the greatest values are
    on top."""
    from matplotlib.collections import LineCollection

    apart = min(0.035, max(0.012, 0.5 / math.sqrt(len(ports))))
    parallel = collections.Counter()
    lines = []
    for key, (row, *_) in sorted(ports.items()):
        if _is_dead(failures, row):
            continue
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


def _draw_links_by_nic(axes, layout, ports, failures):
    """One line for each link that was never down, in the colour of the NICs below it, and the legend."""
    from matplotlib.lines import Line2D

    below = find_nics_below(ports, layout.hosts, layout.levels)
    planes = find_planes(ports)
    plane_of = {switch: index for index, plane in enumerate(planes) for switch in plane}
    parallel = collections.Counter()
    colours, styles = {}, {}
    for (node, _), (row, *_) in sorted(ports.items()):
        peer = row.peer
        if (layout.levels[peer], peer) < (layout.levels[node], node) or _is_dead(failures, row):
            continue
        nics = below[node]
        name = f"NIC {min(nics)}" if len(nics) == 1 else "several NICs"
        colour = plot.COLOURS[min(nics) % len(plot.COLOURS)] if len(nics) == 1 else "#777777"
        plane = plane_of.get(peer, plane_of.get(node, 0))
        style = PLANE_STYLES[plane % len(PLANE_STYLES)]
        curve = _curve(layout.points[node], layout.points[peer], layout.bend(node, peer))
        axes.plot(
            *zip(*_to_the_right(curve, 0.03 * parallel[node, peer])), color=colour, linestyle=style,
            linewidth=1.3 if layout.levels[node] == 0 else 0.8, zorder=1,
        )
        parallel[node, peer] += 1
        colours[len(nics) > 1, min(nics), name] = Line2D([], [], color=colour, label=name)
        styles[plane] = Line2D([], [], color="#333333", linestyle=style, label=f"plane {plane}")
    handles = [colours[key] for key in sorted(colours)]
    if len(styles) > 1:
        handles += [styles[plane] for plane in sorted(styles)]
    return handles


def _is_dead(failures, row):
    """Whether the link of a port, or a node at either end, was down."""
    link = frozenset(((row.node, row.port), (row.peer, row.peer_port)))
    return link in failures.links or bool(failures.nodes & {row.node, row.peer})


def _draw_failures(axes, layout, ports, failures):
    """Grey dashes for links that were down, and crosses over what failed. Returns the lines of the legend."""
    crosses = [layout.points[node] for node in sorted(failures.nodes)]
    parallel = collections.Counter()
    for (node, port), (row, *_) in sorted(ports.items()):
        peer = row.peer
        if (layout.levels[peer], peer) < (layout.levels[node], node):
            continue
        curve = _curve(layout.points[node], layout.points[peer], layout.bend(node, peer))
        curve = _to_the_right(curve, 0.03 * parallel[node, peer])
        parallel[node, peer] += 1
        if not _is_dead(failures, row):
            continue
        axes.plot(*zip(*curve), color=DEAD_COLOUR, linestyle=(0, (4, 3)), linewidth=1, zorder=0.9)
        if frozenset(((node, port), (peer, row.peer_port))) in failures.links:
            start, end = curve[(len(curve) - 1) // 2], curve[len(curve) // 2]
            crosses.append(((start[0] + end[0]) / 2, (start[1] + end[1]) / 2))
    if crosses:
        axes.plot(
            *zip(*crosses), "x", color=CROSS_COLOUR, markersize=16, markeredgewidth=1.5, linestyle="none",
            alpha=0.7, zorder=5,
        )
    lines = [f"crossed out: {text}" for text in failures.texts[:MOST_FAILURES]]
    if len(failures.texts) > MOST_FAILURES:
        lines[-1] += f", and {len(failures.texts) - MOST_FAILURES} more"
    return lines


def _draw_nodes(axes, layout):
    """Hosts as dots with their names below, or as boxes with their NICs; switches as boxes with names."""
    from matplotlib.patches import FancyBboxPatch

    for name, x in layout.host_names():
        axes.text(
            x, layout.foot - (0.1 if layout.boxed else 0.06), name, ha="center", va="top", fontsize=FONT,
            rotation=90 if layout.upright else 0,
        )
    for level, nodes in layout.rows.items():
        axes.plot(
            *zip(*(layout.points[node] for node in nodes)), "o" if level == 0 else "s", color="#333333",
            markersize=3, linestyle="none", zorder=3,
        )
        for node in layout.chosen(level) if level > 0 else ():
            x, y = layout.points[node]
            axes.text(
                x, y, layout.names[node], ha="center", va="center", fontsize=FONT, zorder=4,
                bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "#333333",
                      "linewidth": 0.8},
            )
    for nics in layout.hosts.values() if layout.boxed else ():
        left, right = layout.points[nics[0]][0], layout.points[nics[-1]][0]
        axes.add_patch(FancyBboxPatch(
            (left - 0.03, layout.foot - 0.03), right - left + 0.06, 0.06, boxstyle="round,pad=0.03",
            facecolor="white", edgecolor="#333333", linewidth=0.8, zorder=2.5,
        ))


def _make_picture(layout, ports, lines):
    """A figure with room for lines of text above the fabric, and the axes of the fabric in it."""
    bends = [layout.bend(row.node, row.peer) for (row, *_) in ports.values()]
    top = layout.foot + LEVEL_HEIGHT * max(layout.levels.values()) + max(*bends, 0) + MARGIN
    width, height = layout.width + 2 * MARGIN + 0.9, top + 0.3 + 0.16 * lines
    figure = plot.matplotlib_figure(width, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, (layout.width + 2 * MARGIN) / width, top / height))
    axes.set(xlim=(0, layout.width + 2 * MARGIN), ylim=(0, top))
    axes.set_axis_off()
    return figure, axes, width, height, top


def _write_title(figure, width, height, title, lines):
    """The title, and lines of text below it."""
    figure.text(0.5 * MARGIN / width, 1 - 0.08 / height, title, va="top", fontsize="medium")
    for index, line in enumerate(lines):
        at = 1 - (0.30 + 0.16 * index) / height
        figure.text(0.5 * MARGIN / width, at, line, va="top", fontsize="small", color=CROSS_COLOUR)


def draw_fabric(name, run, colour):
    """The fabric of a run.

    Each link has a line for each direction, traffic keeping to the right, with the colour of a quantity;
    or, with the colour nic, one line for both directions. Nodes and links that were down are crossed out.
    """
    ports = group_ports(run.ports)
    if not ports:
        raise ResultsError(f"{name}: ports.csv has no ports")
    failures = find_failures(run, ports)
    shown = min(len(failures.texts), MOST_FAILURES)
    if colour == "nic":
        layout = _Layout(ports)
        figure, axes, width, height, top = _make_picture(layout, ports, shown)
        handles = _draw_links_by_nic(axes, layout, ports, failures)
        lines = _draw_failures(axes, layout, ports, failures)
        _draw_nodes(axes, layout)
        figure.legend(
            handles=handles, loc="upper right", bbox_to_anchor=(1, top / height), fontsize=FONT, frameon=False,
            handlelength=1.6,
        )
        _write_title(figure, width, height, name, lines)
        return figure
    label, value = COLOURS[colour]
    if not run.active_us:
        simulated = run.summary.get("sim_time_us")
        raise ResultsError(
            f"{name}: summary.json: sim_time_us: {simulated}; accepted: after the start of the first flow"
        )
    values = {key: value(rows, run.active_us / 1e6) for key, rows in ports.items()}
    layout = _Layout(ports)
    figure, axes, width, height, top = _make_picture(layout, ports, shown)
    collection = _draw_links(axes, layout, ports, values, failures)
    lines = _draw_failures(axes, layout, ports, failures)
    _draw_nodes(axes, layout)
    if any(values.values()):
        bar = figure.add_axes(
            ((layout.width + 2 * MARGIN) / width, 0.1, 0.15 / width, max(0.3, top / height - 0.2))
        )
        figure.colorbar(collection, cax=bar).set_label(label, fontsize="small")
        bar.tick_params(labelsize="small")
    what = f"{plot.title_of(name, run)}: {label}, " + ("grey: 0" if any(values.values()) else "0 everywhere")
    _write_title(figure, width, height, what, lines)
    return figure
