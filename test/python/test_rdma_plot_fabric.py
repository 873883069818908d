# SPDX-License-Identifier: GPL-2.0-only
"""Tests of python/rdma_plot_fabric.py: levels, places and names without matplotlib, and pictures."""

import dataclasses
import importlib.util
import os
import sys
import tempfile
import types
import unittest
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import rdma_plot  # noqa: E402
import rdma_plot_fabric  # noqa: E402
from ns3_rdma.results import Port, ResultsError, Run  # noqa: E402

RATE = 100_000_000_000
# A row of ports.csv in a run with a host of several NICs.
NicPort = dataclasses.make_dataclass("NicPort", [("host", object), ("nic", object)], bases=(Port,), frozen=True)


def fabric(names, links, used=()):
    """A run of a fabric; used has changes to priority 3 of ports, (node, port) to fields."""
    ports, ends = [0] * len(names), []
    for a, b in links:
        ends += [(a, ports[a], b, ports[b]), (b, ports[b], a, ports[a])]
        ports[a] += 1
        ports[b] += 1
    rows = []
    for node, number, peer, peer_number in ends:
        for priority in (0, 3):
            fields = {name: 0 for name in Port.__dataclass_fields__}
            fields.update(
                node=node, node_name=names[node], port=number, priority=priority,
                port_name=f"{names[node]} to {names[peer]}", peer=peer, peer_port=peer_number,
                role="host" if names[node].startswith("host") else "switch", line_rate_bps=RATE,
            )
            if priority == 3:
                fields.update(dict(used).get((node, number), {}))
            rows.append(Port(**fields))
    return Run("folder", (), tuple(rows), {"sim_time_us": 10.0})


def leaf_spine(used=(), hosts=2):
    """Two leaves and two spines, with the hosts in such an order that links cross."""
    names = [f"host-{i}" for i in range(2 * hosts)] + ["leaf-0", "leaf-1", "spine-0", "spine-1"]
    leaves = (2 * hosts, 2 * hosts + 1)
    links = [(host, leaves[host % 2]) for host in range(2 * hosts)]
    return fabric(names, links + [(leaf, spine + 2) for leaf in leaves for spine in leaves], used)


def rails(planes=1):
    """Two hosts of two NICs: NIC k of host h is node 2 k + h. A leaf for each rail, a spine above them."""
    names = ["host-0", "host-1", "host-0-nic-1", "host-1-nic-1"]
    links = []
    for plane in range(planes):
        leaf = len(names)
        names += [f"p{plane}-leaf-0", f"p{plane}-leaf-1", f"p{plane}-spine"]
        links += [(0, leaf), (1, leaf), (2, leaf + 1), (3, leaf + 1), (leaf, leaf + 2), (leaf + 1, leaf + 2)]
    run = fabric(names, links)
    ports = tuple(
        NicPort(
            **{field.name: getattr(row, field.name) for field in dataclasses.fields(row)},
            host=row.node % 2 if row.node < 4 else None, nic=row.node // 2 if row.node < 4 else None,
        )
        for row in run.ports
    )
    return dataclasses.replace(run, ports=ports)


def ring(count):
    """A ring of switches with a host at each."""
    names = [f"host-{i}" for i in range(count)] + [f"ring-{i}" for i in range(count)]
    links = [(i, count + i) for i in range(count)]
    return fabric(names, links + [(count + i, count + (i + 1) % count) for i in range(count)])


class Places(unittest.TestCase):
    def places(self, run):
        ports = rdma_plot_fabric.group_ports(run.ports)
        levels = rdma_plot_fabric.find_levels(ports)
        return levels, rdma_plot_fabric.place_nodes(ports, levels)

    def test_levels(self):
        levels, places = self.places(leaf_spine())
        self.assertEqual([levels[node] for node in range(8)], [0, 0, 0, 0, 1, 1, 2, 2])
        # The hosts of a leaf are neighbours, and the leaf is above their middle.
        self.assertEqual(sorted(range(4), key=places.get), [0, 2, 1, 3])
        self.assertEqual((places[4], places[5]), (0.25, 0.75))
        self.assertEqual((places[6], places[7]), (0.25, 0.75))

    def test_all_switches_of_a_ring_have_one_level(self):
        levels, places = self.places(ring(4))
        self.assertEqual([levels[node] for node in range(8)], [0] * 4 + [1] * 4)
        self.assertEqual(sorted(range(4, 8), key=places.get), [4, 5, 6, 7])

    def test_nics_of_a_host_are_neighbours(self):
        run = rails()
        ports = rdma_plot_fabric.group_ports(run.ports)
        self.assertEqual(rdma_plot_fabric.find_hosts(ports), {"host-0": [0, 2], "host-1": [1, 3]})
        levels, places = self.places(run)
        self.assertEqual([levels[node] for node in range(7)], [0, 0, 0, 0, 1, 1, 2])
        self.assertEqual(sorted(range(4), key=places.get), [0, 2, 1, 3])
        # The gap between the hosts is wider than that between NICs.
        self.assertGreater(places[1] - places[2], 2 * (places[2] - places[0]))

    def test_nics_below_a_link_and_planes(self):
        ports = rdma_plot_fabric.group_ports(rails(planes=2).ports)
        levels = rdma_plot_fabric.find_levels(ports)
        below = rdma_plot_fabric.find_nics_below(ports, rdma_plot_fabric.find_hosts(ports), levels)
        self.assertEqual(
            [below[node] for node in range(10)],
            [{0}, {0}, {1}, {1}, {0}, {1}, {0, 1}, {0}, {1}, {0, 1}],
        )
        self.assertEqual(rdma_plot_fabric.find_planes(ports), [{4, 5, 6}, {7, 8, 9}])

    def test_rails_without_common_spines_are_one_plane(self):
        # Two hosts of two NICs, and a leaf for each rail.
        run = fabric(["host-0", "host-1", "host-0-nic", "host-1-nic", "a", "b"], [(0, 4), (1, 4), (2, 5), (3, 5)])
        self.assertEqual(rdma_plot_fabric.find_planes(rdma_plot_fabric.group_ports(run.ports)), [{4, 5}])

    def test_hosts_of_one_nic(self):
        ports = rdma_plot_fabric.group_ports(leaf_spine().ports)
        self.assertEqual(rdma_plot_fabric.find_hosts(ports), {f"host-{i}": [i] for i in range(4)})
        self.assertEqual(rdma_plot_fabric.find_planes(ports), [{4, 5, 6, 7}])

    def test_names_are_thinned_until_none_overlap(self):
        names = [f"n{i}" for i in range(6)]
        for width, shown in ((0.9, [0, 1, 2, 3, 4, 5]), (1.5, [0, 2, 4]), (2.5, [0, 3]), (9, [0])):
            self.assertEqual(
                rdma_plot_fabric.shown_labels(names, range(6), lambda name: width), shown
            )


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
class Pictures(unittest.TestCase):
    def draw(self, run, colour="load"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return rdma_plot_fabric.draw_fabric("mine", run, colour)

    def values(self, figure):
        return list(figure.axes[0].collections[1].get_array())

    def test_colours(self):
        used = {
            (0, 0): {"tx_bytes": 61_500, "tx_frames": 50, "paused_ns": 4000.0, "drops": 7},
            (4, 0): {"tx_bytes": 123_000, "tx_frames": 100, "ecn_marks": 9, "paused_ns": 500.0},
        }
        run = leaf_spine(used)
        # 10 us at 100 Gb/s are 125000 bytes on the line. Each frame takes 20 of them for preamble and gap.
        for colour, label, values in (
            ("load", "load (% of line rate)", [50, 100]), ("pause", "time paused (us)", [0.5, 4]),
            ("drops", "drops (frames)", [7]), ("marks", "ECN marks (packets)", [9]),
        ):
            figure = self.draw(run, colour)
            self.assertEqual([round(value, 9) for value in self.values(figure)], values)
            self.assertEqual(figure.axes[1].get_ylabel(), label)
            # Eight links with two directions each.
            idle, busy = figure.axes[0].collections
            self.assertEqual(len(idle.get_segments()) + len(busy.get_segments()), 16)

    def test_traffic_keeps_to_the_right(self):
        figure = self.draw(leaf_spine({(0, 0): {"tx_bytes": 1000}}))
        (up,) = figure.axes[0].collections[1].get_segments()
        dot = figure.axes[0].get_lines()[0].get_xydata()[0]
        # Upwards to the right: the line begins to the right of the host, and below it.
        self.assertGreater(up[1][1], up[0][1])
        self.assertGreater(up[0][0], dot[0])
        self.assertLess(abs(up[0][0] - dot[0]), 0.1)

    def test_names(self):
        names = [text.get_text() for text in self.draw(leaf_spine()).axes[0].texts]
        self.assertEqual(
            names, ["host-0", "host-2", "host-1", "host-3", "leaf-0", "leaf-1", "spine-0", "spine-1"]
        )

    def test_names_of_many_nodes_do_not_overlap(self):
        figure = self.draw(leaf_spine(hosts=150))
        with tempfile.TemporaryDirectory() as folder:
            rdma_plot.save(figure, os.path.join(folder, "x.png"))
        boxes = [text.get_window_extent() for text in figure.axes[0].texts]
        self.assertGreater(len(boxes), 30)
        self.assertLess(len(boxes), 304)
        for index, box in enumerate(boxes):
            self.assertFalse([other for other in boxes[index + 1:] if box.overlaps(other)])

    def test_colours_of_nics(self):
        figure = self.draw(rails(planes=2), "nic")
        axes = figure.axes[0]
        self.assertEqual([text.get_text() for text in axes.texts][:2], ["host-0", "host-1"])
        # Twelve links, one line each; two planes of six, of which the second is dashed.
        lines = [line for line in axes.get_lines() if line.get_linestyle() != "None"]
        self.assertEqual(len(lines), 12)
        self.assertEqual(sum(line.get_linestyle() == "--" for line in lines), 6)
        first, second = rdma_plot_fabric.plot.COLOURS[:2]
        self.assertEqual([sum(line.get_color() == colour for line in lines) for colour in (first, second)], [6, 6])
        (legend,) = figure.legends
        self.assertEqual([text.get_text() for text in legend.get_texts()], ["NIC 0", "NIC 1", "plane 0", "plane 1"])
        self.assertEqual(len(axes.patches), 2)  # a box for each host

    def test_a_picture_of_one_nic_has_no_planes(self):
        figure = self.draw(leaf_spine(), "nic")
        self.assertEqual([text.get_text() for text in figure.legends[0].get_texts()], ["NIC 0"])
        self.assertEqual(len(figure.axes[0].patches), 0)

    def crosses(self, figure):
        """Where crosses are, and the lines of the legend."""
        axes = figure.axes[0]
        points = [tuple(point) for line in axes.get_lines() if line.get_marker() == "x" for point in line.get_xydata()]
        return points, [text.get_text() for text in figure.texts[1:]]

    def node_of(self, figure, name):
        (text,) = [text for text in figure.axes[0].texts if text.get_text() == name]
        return text.get_position()

    def fail(self, run, failures):
        return dataclasses.replace(run, record={"options": {"failures": failures}})

    def test_a_node_that_dies(self):
        used = {(4, 0): {"tx_bytes": 1000}, (5, 0): {"tx_bytes": 1000}}
        for where in ("leaf-0", "4"):
            figure = self.draw(self.fail(leaf_spine(used), f"{where}:down:20us"))
            points, lines = self.crosses(figure)
            self.assertEqual(lines, [f"crossed out: {where} down from 20us"])
            self.assertEqual(points, [self.node_of(figure, "leaf-0")])
            # Four of the eight links are dashes in place of a line for each direction.
            axes = figure.axes[0]
            self.assertEqual(sum(len(each.get_segments()) for each in axes.collections), 8)
            self.assertEqual(sum(line.get_color() == "#999999" for line in axes.get_lines()), 4)
        figure = self.draw(self.fail(leaf_spine(used), "leaf-0:down:20us"), "nic")
        self.assertEqual(sum(line.get_color() == "#999999" for line in figure.axes[0].get_lines()), 4)

    def test_links_that_fail(self):
        failures = "leaf-0/spine-1:down:1us:2us,host-1/leaf-1:rate=25%:3us,leaf-0/spine-1:down:3us,leaf-0/spine-1:up:4us"
        figure = self.draw(self.fail(leaf_spine(), failures))
        points, lines = self.crosses(figure)
        self.assertEqual(
            lines,
            ["crossed out: leaf-0/spine-1 down from 1us to 2us", "crossed out: leaf-0/spine-1 down from 3us to 4us"],
        )
        ends = self.node_of(figure, "leaf-0"), self.node_of(figure, "spine-1")
        self.assertEqual(points, [tuple((a + b) / 2 for a, b in zip(*ends))])
        # One of two links between two nodes.
        names = ["host-0", "host-1", "a", "b"]
        twice = fabric(names, [(0, 2), (1, 3), (2, 3), (2, 3)])
        for failures, count in (("a/b:down:1us", 2), ("b/a#2:down:1us", 1)):
            self.assertEqual(len(self.crosses(self.draw(self.fail(twice, failures)))[0]), count)

    def test_many_failures(self):
        failures = ",".join(f"host-{host}:down:{host}us" for host in range(6))
        points, lines = self.crosses(self.draw(self.fail(leaf_spine(hosts=3), failures)))
        self.assertEqual((len(points), len(lines)), (6, 4))
        self.assertEqual(lines[-1], "crossed out: host-3 down from 3us, and 2 more")

    def test_failures_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.csv")
            with open(path, "w", encoding="utf-8") as handle:
                handle.write("where,event,start,stop\nspine-0, down, 5us, 7us\nleaf-0,loss=0.1,1us,\n")
            for option in (path, f"file:{path}"):
                lines = self.crosses(self.draw(self.fail(leaf_spine(), option)))[1]
                self.assertEqual(lines, ["crossed out: spine-0 down from 5us to 7us"])
        with self.assertRaisesRegex(ResultsError, "f.csv: No such file .*accepted: the file of --failures"):
            self.draw(self.fail(leaf_spine(), path))
        with self.assertRaisesRegex(ResultsError, "options: failures: ports.csv has no spine-7"):
            self.draw(self.fail(leaf_spine(), "spine-7:down:1us"))

    def test_nothing_failed(self):
        self.assertEqual(self.crosses(self.draw(leaf_spine())), ([], []))
        self.assertEqual(self.crosses(self.draw(self.fail(leaf_spine(), "leaf-0:loss=0.1:1us"))), ([], []))

    def test_nothing_happened(self):
        figure = self.draw(ring(5))
        self.assertEqual(len(figure.axes), 1)
        self.assertIn("0 everywhere", figure.texts[0].get_text())

    def test_the_last_link_of_a_ring_passes_the_other_switches(self):
        segments = self.draw(ring(5)).axes[0].collections[0].get_segments()
        self.assertEqual(sorted(map(len, segments)), [2] * 18 + [25] * 2)

    def test_runs_that_cannot_be_drawn(self):
        with self.assertRaisesRegex(ResultsError, "ports.csv has no ports"):
            self.draw(Run("folder", (), (), {"sim_time_us": 1.0}))
        run = leaf_spine()
        with self.assertRaisesRegex(ResultsError, "sim_time_us: None; accepted: after the start"):
            self.draw(Run("folder", (), run.ports, {}))

    def test_load_counts_from_the_first_flow(self):
        run = leaf_spine({(0, 0): {"tx_bytes": 61_500, "tx_frames": 50}})
        start = types.SimpleNamespace(start_ns=2e9, counted=True)
        late = Run("folder", (start,), run.ports, {"sim_time_us": 2_000_010.0})
        self.assertEqual([round(value, 6) for value in self.values(self.draw(late))], [50])


if __name__ == "__main__":
    unittest.main()
