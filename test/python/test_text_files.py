# SPDX-License-Identifier: GPL-2.0-only
"""Tests of rdma-fabric with text files as other programs write them: numbers, quotation marks, byte
order marks, first lines of other simulators, and flows.csv of an earlier run."""

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))

import console  # noqa: E402

PROGRAM = console.program("rdma-fabric")
MARK = b"\xef\xbb\xbf"
TOPOLOGY = b"3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"


class TextFiles(unittest.TestCase):
    """Runs in a folder of their own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as handle:
            handle.write(content)

    def run_program(self, *arguments):
        return subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def flows_of(self, *arguments):
        """Bytes and start of each flow of a run, and what the run wrote to standard error."""
        done = self.run_program(*arguments, "--out=o")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "o", "flows.csv"), newline="", encoding="utf-8") as handle:
            rows = list(csv.DictReader(handle))
        return [(int(row["bytes"]), row["start_ns"]) for row in rows], done.stderr

    def refuse(self, pattern, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\A{pattern}")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_numbers_of_flows(self):
        for content, flow, said in [
            (b"1\n0 2 3 100 2000 7e-06\n", (2000, "7000.000"), ""),
            (b"1.0\n0 2 3 100 2e3 0.000007\n", (2000, "7000.000"), ""),
            (b"1\n0 1 3 100 1000 0.30000000000000004\n", (1000, "300000000.000"),
             "rdma: warning: f, line 2: 1 time rounded to whole picoseconds; the first is '0.30000000000000004'\n"),
            (b"id,src,dst,bytes,start_ns\r\n5,0,1,2500.0,3e2\r\n", (2500, "300.000"), ""),
            (b'"id","src","dst","bytes","start_ns"\n"1","2","0","1.5e+04",250\n', (15000, "250.000"), ""),
            (MARK + b"id,src,dst,bytes,start_ns\n5,0,1,2500,300\n", (2500, "300.000"), ""),
            (MARK + b"1\n1 0 3 100 500 0.0000005\n", (500, "500.000"), ""),
        ]:
            self.write("f", content)
            self.assertEqual(self.flows_of("--topology=star:3", "--workload=file:f"), ([flow], said), content)

    def test_wrong_numbers_of_flows(self):
        for line, message in [
            (b"0 1 3 100 1000.5 0", r"f:2: bytes: '1000\.5' is not a whole number"),
            (b"0 1 3 100 1000 0,5", r"f:2: start-time: '0,5' has a comma"),
            (b"0 1 3 100 1152921504606846976 0", r"f:2: bytes: 1152921504606846976 take longer than 9223 s"),
        ]:
            self.write("f", b"1\n" + line + b"\n")
            self.refuse(rf"rdma-fabric: {message}", "--topology=star:3", "--workload=file:f")
        # A slow link on the way, so that the reader cannot know.
        self.write("t", b"3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 1Mbps 1us 0\n")
        self.write("f", b"1\n0 1 3 100 10000000000000 0\n")
        done = self.run_program("--topology=file:t", "--workload=file:f", "--buffer=1GB")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("flow 0 of 10000000000000 bytes from host 0 to host 1: ideal FCT: it is too long", done.stderr)

    def test_utf_16(self):
        self.write("t", "3 1 2\n".encode("utf-16"))
        self.refuse(r"rdma-fabric: t: is UTF-16 text; accepted: UTF-8", "--topology=file:t", "--workload=permutation")
        for option in ("--workload=file:t", "--cdf=file:t", "--config=t"):
            done = self.run_program("--topology=star:3", option)
            self.assertEqual(done.returncode, 2, option)
            self.assertIn("t: is UTF-16 text", done.stderr)

    def test_topologies(self):
        for content in [
            MARK + TOPOLOGY,
            TOPOLOGY.replace(b"100Gbps", b"100000000000.0"),
            TOPOLOGY.replace(b"100Gbps", b"1e11").replace(b"1us", b"1e3ns"),
            TOPOLOGY.replace(b"3 1 2", b"3 1 1 2"),
            TOPOLOGY.replace(b"3 1 2", b"3 1 0 2 100000000000 100000000000"),
        ]:
            self.write("t", content)
            done = self.run_program("--topology=file:t", "--workload=incast:1", "--bytes=1e3")
            self.assertEqual((done.returncode, done.stderr), (0, ""), content)
            self.assertIn("all                   1          1         2.17", done.stdout)

    def test_hosts_with_two_links(self):
        # The first links of hosts 0 and 1 do not lead to host 2, and the second ones do.
        links = b"0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\n"
        self.write("f", b"1\n0 2 3 100 1000 0\n")
        self.write("t", b"5 2 5\n3 4\n" + links)
        done = self.run_program("--topology=file:t", "--workload=file:f")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("all                   1          1", done.stdout)
        # Hosts do not forward.
        self.write("t", b"3 0 2\n\n0 1 100Gbps 1us 0\n1 2 100Gbps 1us 0\n")
        self.refuse("rdma-fabric: t: ", "--topology=file:t", "--workload=file:f")
        # A flow's NIC and queue pairs.
        self.write("t", b"5 2 5\n3 4\n" + links)
        self.write("f.csv", b"id,src,dst,bytes,start_ns,nic,queue_pairs\n7,0,1,100000,0,0,3\n")
        done = self.run_program("--topology=file:t", "--workload=file:f.csv", "--instruments=queue-pairs:q.csv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(os.path.join(self.folder, "q.csv")) as file:
            rows = [line.split(",")[:6] for line in file.read().splitlines()[1:]]
        self.assertEqual(rows, [["7", str(i), "0", str(i % 2), "0", str(i % 2)] for i in range(6)])
        series = ("--topology=rail:2x2x2x2", "--workload=incast:1", "--bytes=100KB", "--instruments=timeseries:s.csv")
        self.refuse("rdma-fabric: --instruments: Flows: flow 0 has several queue pairs; accepted: flows with one, as "
                    "those of --connection=in-turn", *series)
        done = self.run_program(*series, "--connection=in-turn[Nics=1]")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "s.csv")) as file:
            names = {row["node_name"] for row in csv.DictReader(file)}
        self.assertEqual(len(names), 1)
        self.assertTrue(names.pop().endswith("-nic-1"))
        # The results repeat the flows with their NICs and queue pairs.
        self.write("f.csv", b"id,src,dst,bytes,start_ns,nic,queue_pairs\n7,0,1,100000,0,0,3\n8,1,0,1000000,10,,\n")
        for flows, out in (("f.csv", "first"), ("first/flows.csv", "second")):
            done = self.run_program("--topology=file:t", f"--workload=file:{flows}", f"--out={out}")
            self.assertEqual(done.returncode, 0)
        with open(os.path.join(self.folder, "first", "flows.csv")) as file:
            first = file.read()
        with open(os.path.join(self.folder, "second", "flows.csv")) as file:
            self.assertEqual(file.read(), first)
        rows = list(csv.DictReader(first.splitlines()))
        self.assertEqual([(row["nic"], row["queue_pairs"]) for row in rows], [("0", "3"), ("", "")])
        self.write("f.csv", b"id,src,dst,bytes,start_ns,nic,queue_pairs\n7,0,1,100000,0,0,3\n")
        tcp = ("--topology=file:t", "--workload=file:f.csv", "--transport=iwarp", "--pfc=off")
        note = "rdma: note: flows over TCP use the first port of each host alone\n"
        done = self.run_program(*tcp)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith(note + "rdma-fabric: flow 7 names a NIC or "), done.stderr)
        self.write("f.csv", b"id,src,dst,bytes,start_ns\n7,0,1,100000,0\n")
        done = self.run_program(*tcp)
        self.assertEqual((done.returncode, done.stderr), (0, note))
        self.write("f.csv", b"id,src,dst,bytes,start_ns,nic\n7,0,1,100000,0,1\n")
        self.refuse("rdma-fabric: f.csv:2: nic: '1' is too large; accepted: 0", "--topology=file:t", "--workload=file:f.csv")

    def test_flows_that_wait(self):
        self.write("t", b"4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n")
        lines = b"0,0,1,1e6,0,,\n1,1,2,1e6,0,0,\n2,2,0,1e6,0,1,\n3,0,2,5e5,0,0+2,5000\n"
        self.write("f.csv", b"id,src,dst,bytes,start_ns,after,delay_ns\n" + lines)
        # The results repeat the flows, which then start by themselves.
        for flows, out in (("f.csv", "first"), ("first/flows.csv", "second")):
            done = self.run_program("--topology=file:t", f"--workload=file:{flows}", f"--out={out}")
            self.assertEqual(done.returncode, 0)
        with open(os.path.join(self.folder, "first", "flows.csv")) as file:
            first = file.read()
        with open(os.path.join(self.folder, "second", "flows.csv")) as file:
            self.assertEqual(file.read(), first)
        rows = list(csv.DictReader(first.splitlines()))
        self.assertEqual([row["after"] for row in rows], ["", "0", "1", "0+2"])
        self.assertEqual([row["delay_ns"] for row in rows], ["", "", "", "5000.000"])
        self.assertEqual([row["earliest_ns"] for row in rows], ["", "0.000", "0.000", "0.000"])
        ps = [{name: round(1000 * float(row[name])) for name in ("start_ns", "fct_ns", "cqe_ns")} for row in rows]
        self.assertEqual(ps[1]["start_ns"], ps[0]["fct_ns"])
        self.assertEqual(ps[2]["start_ns"], ps[1]["start_ns"] + ps[1]["fct_ns"])
        self.assertEqual(ps[3]["start_ns"], ps[2]["start_ns"] + ps[2]["fct_ns"] + 5_000_000)
        # On faster links, all start earlier.
        self.write("fast", b"4 1 3\n3\n0 3 400Gbps 1us 0\n1 3 400Gbps 1us 0\n2 3 400Gbps 1us 0\n")
        done = self.run_program("--topology=file:fast", "--workload=file:first/flows.csv", "--out=fast.out")
        self.assertEqual(done.returncode, 0)
        with open(os.path.join(self.folder, "fast.out", "flows.csv")) as file:
            fast = list(csv.DictReader(file))
        for row, slow in list(zip(fast, rows))[1:]:
            self.assertLess(float(row["start_ns"]), 0.5 * float(slow["start_ns"]))
        # A watchdog polls on, but a run ends of which a flow cannot start.
        done = self.run_program("--topology=file:t", "--workload=file:f.csv", "--out=cut", "--watchdog=drop",
                                "--transport=roce[RetransmissionTimeout=20us|RetryCount=1]", "--failures=2/3:down:100us")
        self.assertEqual(done.returncode, 1)
        with open(os.path.join(self.folder, "cut", "flows.csv")) as file:
            statuses = [row["status"] for row in csv.DictReader(file)]
        self.assertEqual(statuses[0], "IBV_WC_SUCCESS")
        self.assertTrue(statuses[1].startswith("IBV_WC_RETRY_EXC_ERR"), statuses)
        self.assertTrue(statuses[2].startswith("not started; waits for flow 1"), statuses)
        self.assertTrue(statuses[3].startswith("not started; waits for flow 2"), statuses)
        for wrong, message in (
            (b"1,1,2,1e6,0,1,\n", "f.csv:3: after: flow 1 waits for itself; accepted: ids of other flows, each once"),
            (b"1,2,1,1e6,0,0,\n", "f.csv:3: delay_ns: host 2 is no end of flow 0, so that the news of the end needs time; "
             "accepted: a delay of 1 ps or more, or flows that begin or end at the sender"),
        ):
            self.write("f.csv", b"id,src,dst,bytes,start_ns,after,delay_ns\n0,0,1,1e6,0,,\n" + wrong)
            self.refuse(f"rdma-fabric: {message}", "--topology=file:t", "--workload=file:f.csv")

    def test_simai_topologies(self):
        # Two servers of two GPUs, 0 to 3; NVSwitches 4 and 5; switch 6.
        links = b"0 6 100Gbps 1us 0\n1 6 100Gbps 1us 0\n2 6 100Gbps 1us 0\n3 6 100Gbps 1us 0\n"
        head = b"7 2 2 1 8 H100\n4 5 6\n0 4 2880Gbps 25ns 0\n1 4 2880Gbps 25ns 0\n2 5 2880Gbps 25ns 0\n"
        self.write("t", head + b"3 5 2880Gbps 25ns 0\n" + links)
        done = self.run_program("--topology=file:t", "--workload=incast:1", "--bytes=1e3")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(
            done.stderr,
            "rdma: note: t: 2 NVSwitches with 4 links to GPUs left out (the first: 2880Gbps, 25ns); traffic "
            "between GPUs of a server does not enter the fabric\n",
        )
        self.assertIn("all                   1          1         2.17", done.stdout)
        self.write("t", head + b"6 5 2880Gbps 25ns 0\n" + links)
        self.refuse("rdma-fabric: t: link 6 5: an NVSwitch has a link to no GPU; accepted: NVSwitches are linked",
                    "--topology=file:t")

    def test_links_that_are_left_out(self):
        self.write("t", TOPOLOGY + b"0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n0 2 100Gbps 1us 0\n")
        done = self.run_program("--topology=file:t", "--workload=permutation")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(
            done.stderr,
            "rdma: warning: t, line 5: the first line of the file declares 2 links, and 3 further lines look like "
            "links; 3 lines left out\n",
        )

    def test_sizes(self):
        self.write("c", MARK + b"0 0\n2e3 5E+01\n1.5e6 1e2\n")
        done = self.run_program("--topology=star:3", "--cdf=file:c", "--duration=20us")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_config(self):
        self.write("c", MARK + b"--topology=star:3\n--workload=incast:2\n--mtu=1e3\n")
        done = self.run_program("--config=c")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_packets_instead_of_bytes(self):
        self.write("f", b"2\n1 0 3 2000 1 4\n2 0 3 3000 2 7\n")
        done = self.run_program("--topology=star:4", "--workload=file:f")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Ardma: note: f: no flow has more bytes than seconds .* 2015\n\Z")

    def test_no_flow(self):
        for content in (b"0\n", b"id,src,dst,bytes,start_ns\n"):
            self.write("f", content)
            done = self.run_program("--topology=star:3", "--workload=file:f")
            self.assertEqual((done.returncode, done.stderr), (0, "rdma: warning: f: the file has no flow\n"))

    def test_flows_of_an_earlier_run(self):
        options = ["--topology=leaf-spine:2x4x2", "--duration=300us", "--load=0.6", "--cdf=hadoop"]
        first = self.run_program(*options, "--out=a")
        self.assertEqual(first.returncode, 0, first.stderr)
        again = self.run_program(options[0], "--workload=file:a/flows.csv", "--out=b")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertRegex(
            again.stderr,
            r"\Ardma: note: a/flows\.csv: flows of an earlier run; its results are left out \(fct_ns, .*status\), and "
            r"all flows are of class 3\n\Z",
        )
        digests = [re.search("digest ([0-9a-f]{64})", done.stdout)[1] for done in (first, again)]
        self.assertEqual(digests[0], digests[1])
        other = self.run_program(options[0], "--workload=file:a/flows.csv", "--cc=hpcc")
        self.assertEqual(other.returncode, 0, other.stderr)
        # Counted flows of a measured run have one column more, and unfinished flows a text in quotation marks.
        cut = self.run_program(
            options[0], "--load=0.9", "--measure=100us", "--warmUp=20us", "--stop=150us", "--out=c")
        self.assertEqual(cut.returncode, 1, cut.stderr)
        again = self.run_program(options[0], "--workload=file:c/flows.csv")
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_large_memory(self):
        for size in ("8GB", "26GB", "1TiB"):
            done = self.run_program("--topology=star:9", "--workload=incast:8", "--bytes=1MB", f"--buffer={size}",
                                    "--explain=1", "--instruments=monitor:m.csv")
            self.assertEqual((done.returncode, done.stderr), (0, ""), size)
            self.assertIn("0 drops, 0 pause frames", done.stdout)
        self.refuse(r"rdma-fabric: --buffer: 2TiB; accepted: 1 byte to 1 TiB, or auto", "--topology=star:3",
                    "--workload=incast:2", "--buffer=2TiB")


if __name__ == "__main__":
    unittest.main()
