# SPDX-License-Identifier: GPL-2.0-only
"""Tests of python/ns3_rdma/results.py, and of python/rdma_plot.py without matplotlib."""

import contextlib
import dataclasses
import hashlib
import io
import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import rdma_plot  # noqa: E402
from ns3_rdma.results import (  # noqa: E402
    Flow, ResultsError, cut_path, is_cut, quantile, read_flows, read_monitor, read_ports, read_record,
    read_run, read_summary, size_groups,
)

FLOWS = (
    "id,src,dst,bytes,start_ns,fct_ns,cqe_ns,ideal_fct_ns,slowdown,retransmitted_packets,timeouts,"
    "status\n"
    "0,1,2,1000,0.000,2000.500,3000.000,1000.250,2.000000,0,0,IBV_WC_SUCCESS\n"
    "1,2,1,9000000000,5.125,,,720000000.000,,7,1,"
    '"waits for acknowledgements; 3 of 8 packets acknowledged, link ""a"" is down"\n'
    "2,3,1,1000,7.000,4000.000,4100.000,1000.000,4.000000,1,0,IBV_WC_SUCCESS\n"
)
PORTS = (
    "node,node_name,port,port_name,priority,tx_frames,tx_bytes,rx_frames,rx_bytes,drops,ecn_marks,"
    "xoff_sent,xon_sent,xoff_received,xon_received,paused_ns,peak_queue_bytes,line_rate_bps,role,"
    "peer,peer_port\n"
    "0,host-0,0,host-0 to leaf-0,3,1,1086,0,0,0,0,0,0,1,1,1500.250,0,100000000000,host,9,1\n"
    "9,leaf-0,1,leaf-0 to host-0,3,1,1086,0,0,1,4,1,1,0,0,0.000,2172,100000000000,switch,0,0\n"
)


def summary_of(flows):
    """A summary.json that matches the text of a flows.csv."""
    digest = hashlib.sha256(flows.encode()).hexdigest()
    return json.dumps({"drops": 1, "pause_frames": 2, "sim_time_us": 4.1, "digest": digest})


class Folder(unittest.TestCase):
    """A folder of results for each test."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.write("flows.csv", FLOWS)
        self.write("ports.csv", PORTS)
        self.write("summary.json", summary_of(FLOWS))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", newline="") as handle:
            handle.write(text)
        return self.path(name)


class TextsOfOtherPrograms(Folder):
    """Files that pandas or a spreadsheet has written again."""

    def test_byte_order_mark(self):
        before = read_flows(self.path("flows.csv"))
        for name, text in (("flows.csv", FLOWS), ("ports.csv", PORTS), ("summary.json", summary_of(FLOWS))):
            self.write(name, "\ufeff" + text)
        self.assertEqual(read_flows(self.path("flows.csv")), before)
        self.assertEqual(len(read_ports(self.path("ports.csv"))), 2)
        self.assertEqual(read_summary(self.path("summary.json"))["drops"], 1)

    def test_utf_16(self):
        with open(self.path("flows.csv"), "w", encoding="utf-16") as handle:
            handle.write(FLOWS)
        with self.assertRaisesRegex(ResultsError, "flows.csv: UTF-16 text; accepted: UTF-8"):
            read_flows(self.path("flows.csv"))

    def test_numbers(self):
        before = read_flows(self.path("flows.csv"))
        self.write("flows.csv", FLOWS.replace("9000000000,", "9e9,").replace(",1000,", ",1000.0,"))
        self.assertEqual(read_flows(self.path("flows.csv")), before)
        for wrong in ("1000.5", "1e-3", "1e999", "1e9999", "-1", "1_000", "0x10"):
            self.write("flows.csv", FLOWS.replace(",1000,", f",{wrong},"))
            with self.assertRaisesRegex(ResultsError, f'flows.csv:2: bytes: "{wrong}"; accepted: a whole number'):
                read_flows(self.path("flows.csv"))


class Reading(Folder):
    def test_flows(self):
        first, second, third = read_flows(self.path("flows.csv"))
        self.assertEqual(
            first, Flow(0, 1, 2, 1000, 0.0, 2000.5, 3000.0, 1000.25, 2.0, 0, 0, "IBV_WC_SUCCESS")
        )
        self.assertTrue(first.completed)
        self.assertFalse(second.completed)
        self.assertIsNone(second.fct_ns)
        self.assertIsNone(second.slowdown)
        self.assertEqual(second.bytes, 9000000000)
        self.assertEqual(
            second.status,
            'waits for acknowledgements; 3 of 8 packets acknowledged, link "a" is down',
        )
        self.assertEqual(third.retransmitted_packets, 1)

    def test_columns_in_another_order_and_unknown_ones(self):
        path = self.write(
            "ports.csv",
            "colour,port_name,priority,node,node_name,port,tx_bytes,tx_frames,rx_bytes,rx_frames,"
            "xon_sent,xoff_sent,xon_received,xoff_received,paused_ns,drops,ecn_marks,"
            "peak_queue_bytes,role,peer_port,peer,line_rate_bps\n"
            'red,"a, b to c #2",3,5,"a, b",1,10,1,0,0,0,1,0,2,3.5,4,6,7,switch,0,6,25000000000\n',
        )
        (row,) = read_ports(path)
        self.assertEqual((row.node, row.port, row.priority, row.paused_ns), (5, 1, 3, 3.5))
        self.assertEqual((row.drops, row.ecn_marks, row.peak_queue_bytes), (4, 6, 7))
        self.assertEqual((row.node_name, row.port_name), ("a, b", "a, b to c #2"))
        self.assertEqual((row.xoff_sent, row.xoff_received, row.peer), (1, 2, 6))

    def test_columns_of_a_script(self):
        own = (
            "text,rate_gbps,change,completed,mixed,2nd", "a,1.5,-2,1,7,1", "b,,3,1,x,1",
            "c,1e-09,0,1,,1",
        )
        lines = [f"{line},{more}" for line, more in zip(FLOWS.splitlines(), own)]
        flows = read_flows(self.write("flows.csv", "\n".join(lines) + "\n"))
        self.assertEqual([flow.rate_gbps for flow in flows], [1.5, None, 1e-09])
        self.assertEqual([flow.change for flow in flows], [-2, 3, 0])
        self.assertEqual([flow.text for flow in flows], ["a", "b", "c"])
        self.assertEqual([flow.mixed for flow in flows], ["7", "x", ""])
        self.assertEqual([flow.completed for flow in flows], [True, False, True])
        self.assertIsInstance(flows[0], Flow)
        types = {field.name: field.type for field in dataclasses.fields(flows.kind)}
        self.assertEqual(list(types)[13:], ["text", "rate_gbps", "change", "mixed"])
        self.assertEqual(types["change"], int)
        self.assertEqual(types["mixed"], str)

    def test_columns_of_hosts_with_several_nics(self):
        lines = [f"{line}{more}" for line, more in zip(PORTS.splitlines(), (",host,nic", ",0,3", ",,"))]
        ports = read_ports(self.write("ports.csv", "\n".join(lines) + "\n"))
        self.assertEqual([(port.host, port.nic) for port in ports], [(0, 3), (None, None)])
        self.assertIsInstance(ports[0].host, int)
        self.assertFalse(hasattr(read_ports(self.write("ports.csv", PORTS))[0], "host"))

    def test_columns_of_a_script_without_rows(self):
        text = PORTS.splitlines()[0] + ",share\n"
        ports = read_ports(self.write("ports.csv", text))
        self.assertEqual(ports, ())
        self.assertEqual([field.name for field in dataclasses.fields(ports.kind)][-1], "share")

    def test_run(self):
        run = read_run(self.folder)
        self.assertEqual((len(run.flows), len(run.ports)), (3, 2))
        self.assertEqual(run.summary["drops"], 1)

    def write_measured(self):
        """Files of a run with a window: the third flow starts after it, the first two count."""
        lines = [f"{line},{more}" for line, more in zip(FLOWS.splitlines(), ("counted", 1, 1, 0))]
        text = "\n".join(lines) + "\n"
        self.write("flows.csv", text)
        self.write("summary.json", summary_of(text))
        return text

    def test_flows_that_count(self):
        self.write_measured()
        run = read_run(self.folder)
        self.assertEqual([flow.id for flow in run.flows], [0, 1])
        self.assertEqual([flow.id for flow in run.all_flows], [0, 1, 2])
        self.assertEqual([flow.counted for flow in run.all_flows], [True, True, False])
        self.assertIs(run.flows.kind, run.all_flows.kind)
        text = FLOWS.replace("timeouts,status", "timeouts,status,counted").replace("SUCCESS", "SUCCESS,2")
        self.check("f", text, r'f:2: counted: "2"; accepted: 0 or 1')

    def test_run_record(self):
        self.assertEqual(read_record(self.folder), {})
        self.assertEqual(read_run(self.folder).cut, "")
        texts = {"flows.csv": FLOWS, "ports.csv": PORTS, "summary.json": summary_of(FLOWS)}
        files = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
        record = {"id": "1", "state": "cut", "cut_by": "SIGINT", "process": 7, "files": files}
        self.write("run.json", json.dumps(record))
        run = read_run(self.folder)
        self.assertEqual((run.record, run.cut), (record, "cut by SIGINT at 4.1 us"))
        for change, message in (
            ({"state": "running"}, "the run did not end"),
            ({"files": {**files, "ports.csv": "0"}}, "ports.csv: not of the same run as run.json"),
            ({"files": {"other.csv": "0"}}, "not a file of the run of run.json"),
        ):
            self.write("run.json", json.dumps({**record, **change}))
            with self.assertRaisesRegex(ResultsError, message):
                read_run(self.folder)
        for by, text in (("stop", "cut at 4.1 us"), ("deadlock", "cut at 4.1 us in a deadlock")):
            self.write("run.json", json.dumps({**record, "cut_by": by}))
            self.assertEqual(read_run(self.folder).cut, text)
        self.write("run.json", "[]")
        with self.assertRaisesRegex(ResultsError, "run.json: not a JSON object"):
            read_run(self.folder)

    def test_names_of_files_of_cut_runs(self):
        self.assertEqual(cut_path("a.b/ports.csv"), "a.b/ports.cut.csv")
        self.assertEqual(cut_path("a.b/ports"), "a.b/ports.cut")
        self.assertTrue(is_cut("a/ports.cut.csv"))
        self.assertFalse(is_cut("a.cut/ports.csv"))
        self.write("monitor.cut.csv", "")
        with self.assertRaisesRegex(ResultsError, "the run was cut and wrote .*monitor.cut.csv"):
            read_monitor(self.path("monitor.csv"))

    def test_files_of_two_runs(self):
        self.write("flows.csv", FLOWS.replace("4000.000", "4000.001"))
        with self.assertRaisesRegex(ResultsError, "not of the same run"):
            read_run(self.folder)

    def check(self, name, text, message, read=read_flows):
        with self.assertRaisesRegex(ResultsError, message):
            read(self.write(name, text))

    def test_errors_name_line_and_column(self):
        self.check("f", FLOWS.replace("2000.500", "soon"), r'f:2: fct_ns: "soon"; accepted: ')
        self.check("f", FLOWS.replace("2000.500", "-1"), r"f:2: fct_ns")
        self.check("f", FLOWS.replace("2000.500", "nan"), r"f:2: fct_ns")
        self.check("f", FLOWS.replace("2,3,1,1000", "2,3,1,1e-3"), r"f:4: bytes")
        self.check("f", FLOWS.replace("2,3,1,", "2,3,-1,"), r"f:4: dst")
        self.check("f", FLOWS.replace("2,3,1,1000", "2,3,1"), r"f:4: 11 fields; accepted: 12")
        self.check("f", FLOWS.replace("slowdown,", "speed,"), r"f:1: slowdown: there are 0 columns")
        self.check("f", FLOWS.replace("src,dst", "src,src"), r"f:1: src: there are 2 columns")
        self.check("f", FLOWS.replace(",IBV_WC_SUCCESS\n", ",\n"), r"f:2: status")
        self.check("f", FLOWS.replace(",4.000000,", ",,"), "flow 2: only one of fct_ns and slow")
        self.check("f", FLOWS.replace("1000.250", "0.000"), "flow 0: ideal_fct_ns is 0")
        self.check("f", "", "the file is empty")
        self.check("p", PORTS.replace("1500.250", ""), r"p:2: paused_ns", read_ports)
        self.check("p", PORTS.replace("9,leaf-0,", "9,,"), r"p:3: node_name", read_ports)
        self.check("p", PORTS.replace("ecn_marks", "marks"), r"p:1: ecn_marks: there are 0", read_ports)
        self.check("s", "{", "not a JSON file", read_summary)
        self.check("s", "[]", "not a JSON object", read_summary)

    def test_files_that_are_not_there(self):
        for read in (read_flows, read_ports, read_summary):
            with self.assertRaisesRegex(ResultsError, "No such file"):
                read(self.path("none"))
        with self.assertRaisesRegex(ResultsError, "no such folder"):
            read_run(self.path("none"))


class Numbers(unittest.TestCase):
    def test_quantile_is_linear_between_neighbours(self):
        self.assertEqual(quantile([7.0], 0.99), 7.0)
        self.assertEqual(quantile([30, 10, 20], 0.5), 20)
        self.assertEqual(quantile([0, 100], 0.99), 99)
        self.assertEqual(quantile([0, 10, 20, 30, 40], 0.625), 25)
        self.assertEqual(quantile([1, 2, 3], 1), 3)
        for values, fraction in (([], 0.5), ([1], -0.1), ([1], 1.1)):
            with self.assertRaises(ValueError):
                quantile(values, fraction)

    @staticmethod
    def flows(sizes, completed=True):
        return [
            Flow(i, 0, 1, size, 0, 2 if completed else None, 2, 1, 2, 0, 0, "x")
            for i, size in enumerate(sizes)
        ]

    def sizes(self, flows, count):
        return [[flow.bytes for flow in group] for group in size_groups(flows, count)]

    def test_groups_by_size(self):
        self.assertEqual(self.sizes(self.flows([6, 1, 5, 2, 4, 3]), 3), [[1, 2], [3, 4], [5, 6]])
        self.assertEqual(self.sizes(self.flows([1, 2]), 5), [[1], [2]])
        self.assertEqual(self.sizes(self.flows([8] * 5), 3), [[8] * 5])
        self.assertEqual(self.sizes(self.flows([1, 1, 1, 2, 3, 4]), 3), [[1, 1, 1], [2], [3, 4]])
        self.assertEqual(self.sizes(self.flows([1, 2, 3], completed=False), 2), [])
        with self.assertRaises(ValueError):
            size_groups([], 0)


class CommandLine(Folder):
    def run_main(self, *arguments):
        """Exit status, standard output and standard error."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = rdma_plot.main(arguments)
            except SystemExit as stop:
                status = stop.code
        return status, out.getvalue(), err.getvalue()

    def test_table(self):
        status, out, err = self.run_main("table", f"mine={self.folder}")
        self.assertEqual((status, err), (0, ""))
        name, *numbers = out.splitlines()[1].split()
        # FCTs are 2.0005 and 4 us, slowdowns 2 and 4; the third flow did not finish.
        self.assertEqual(name, "mine")
        self.assertEqual(numbers, ["3", "2", "3.00", "3.98", "3.000", "3.980", "1", "2"])

    def test_table_of_the_flows_that_count(self):
        Reading.write_measured(self)
        _, out, _ = self.run_main("table", f"mine={self.folder}")
        # The first flow finished, the second did not, and the third starts after the window.
        self.assertEqual(
            out.splitlines()[1].split(),
            ["mine", "2", "1", "2.00", "2.00", "2.000", "2.000", "1", "2"],
        )
        self.assertEqual(
            out.splitlines()[2:],
            ["mine: the 2 of 3 flows that start in the window", "mine: 1 of 2 flows finished"],
        )
        _, out, _ = self.run_main("table", f"mine={self.folder}", "--all-flows")
        self.assertEqual(out.splitlines()[1].split()[1:4], ["3", "2", "3.00"])
        self.assertEqual(
            out.splitlines()[2:],
            ["mine: all flows, also outside of the window", "mine: 2 of 3 flows finished"],
        )

    def test_label_is_the_folder_without_one(self):
        _, out, _ = self.run_main("table", self.folder + os.sep)
        self.assertEqual(out.splitlines()[1].split()[0], os.path.basename(self.folder))

    def test_errors(self):
        picture = self.path("x.png")
        none = self.path("none")
        for arguments, message in (
            (("table", none), "there is no such folder"),
            (("fct-cdf", self.folder, "-o", self.path("x.bmp")), "accepted: a name in .png"),
            (("slowdown", self.folder, "-o", picture, "--groups", "0"), 'accepted: 1 and above'),
            (("pauses", self.folder, "-o", picture, "--top", "many"), 'accepted: 1 and above'),
            (("fabric", self.folder, "-o", picture, "--colour", "red"), "invalid choice"),
            (("fct-cdf", self.folder), "required: -o"),
            (("pies", self.folder), "invalid choice"),
            ((), "required"),
        ):
            status, out, err = self.run_main(*arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertIn(message, err)
        self.assertFalse(os.path.exists(picture))

    def test_no_flows(self):
        header = FLOWS.splitlines(True)[0]
        self.write("flows.csv", header)
        self.write("summary.json", summary_of(header))
        status, _, err = self.run_main("table", self.folder)
        self.assertEqual(status, 2)
        self.assertIn("flows.csv has no flows", err)


if __name__ == "__main__":
    unittest.main()
