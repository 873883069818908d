# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tools/reproduce: intervals, verdicts, pairing, pages, and the tool on the parking lot."""

import csv
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from runs_support import HAS_PACKAGES, ROOT, command, contents, needs_packages, put  # noqa: E402

import built_program  # noqa: E402
from rdma_reproduce import cross_traffic, expected  # noqa: E402
from rdma_runs import student  # noqa: E402

if HAS_PACKAGES:
    from rdma_reproduce import catalogue, cli, fabric, figures, pages, report, row, tables, wide
    from rdma_reproduce.readings import MAIN, READINGS
    from rdma_reproduce.rows import all_rows, power_tcp
    from rdma_reproduce.rows.irn_incast import incast
    from rdma_runs import style
    from rdma_runs.costs import Costs
    from rdma_runs.run import Outcome, Run, RunError
    from rdma_runs.store import Store

VALIDATION = os.path.join(ROOT, "doc", "validation")
FLOWS = """\
id,src,dst,bytes,start_ns,fct_ns,cqe_ns,ideal_fct_ns,slowdown,retransmitted_packets,timeouts,status
0,1,2,1000,0.000,1000.000,1,500.000,2.000000,0,0,IBV_WC_SUCCESS
1,1,2,900,1000000.000,2000.000,1,500.000,4.000000,1,1,IBV_WC_SUCCESS
2,1,2,2500,1600000.000,6000.000,1,1000.000,6.000000,2,0,IBV_WC_SUCCESS
3,1,2,500,2500000.000,,,500.000,,0,0,
4,1,2,500,3000000.000,9000.000,1,500.000,18.000000,0,0,IBV_WC_SUCCESS
"""


class Statistics(unittest.TestCase):
    """Means, intervals and verdicts."""

    def test_quantiles(self):
        self.assertEqual([student.quantile(n) for n in (1, 2, 4, 30)], [12.7062, 4.3027, 2.7764, 2.0423])
        for freedom, value in ((31, 2.0395), (60, 2.0003), (100, 1.9840), (10**6, 1.9600)):
            self.assertAlmostEqual(student.quantile(freedom), value, 3)
        self.assertRaises(ValueError, student.quantile, 0)

    def test_estimates(self):
        self.assertIsNone(student.estimate([]))
        self.assertEqual(student.estimate([3]), (3.0, None, 1))
        found = student.estimate([1, 2, 3])
        self.assertEqual((found.mean, found.count), (2.0, 3))
        self.assertAlmostEqual(found.half, 4.3027 / math.sqrt(3), 4)

    def test_verdicts_on_ratios(self):
        up, both = expected.ratio(1.5, 3), expected.ratio(0.99, 1.034)
        down = expected.ratio(0.2, 0.5)
        for claim, value, verdict in (
            (up, 1.5, "hit"), (up, 3.0, "hit"), (up, 3.01, "near miss"), (up, 1.01, "near miss"),
            (up, 1.0, "miss"), (up, 0.7, "miss"), (up, None, "not run"),
            (both, 1.0, "hit"), (both, 0.9, "near miss"), (both, 2.0, "near miss"),
            (down, 0.6, "near miss"), (down, 0.1, "near miss"), (down, 1.1, "miss"),
            (expected.above(1), 1.0, "miss"), (expected.above(1), 1.001, "hit"),
        ):
            self.assertEqual(claim.verdict(value), verdict, (claim, value))

    def test_verdicts_on_values(self):
        for claim, value, verdict in (
            (expected.within(10, 0.02), 10.2, "hit"), (expected.within(10, 0.02), 10.39, "near miss"),
            (expected.within(10, 0.02), 10.41, "miss"), (expected.within(10, 0.02), 9.59, "miss"),
            (expected.exactly(0), 0, "hit"), (expected.exactly(0), 1, "miss"),
            (expected.at_least(90), 90, "hit"), (expected.at_least(90), 89.9, "miss"),
            (expected.at_most(1.025, slack=0.025), 1.04, "near miss"),
            (expected.at_most(1.025, slack=0.025), 1.06, "miss"), (expected.report(), 5, "-"),
        ):
            self.assertEqual(claim.verdict(value), verdict, (claim, value))

    def test_a_row_is_as_good_as_its_worst_value(self):
        self.assertEqual(expected.worst(["hit", "near miss", "-"]), "near miss")
        self.assertEqual(expected.worst(["hit", "miss", "near miss"]), "miss")
        self.assertEqual(expected.worst(["miss", "not run"]), "not run")
        self.assertEqual(expected.worst(["hit", "-"]), "hit")


class CrossTraffic(unittest.TestCase):
    """The file of flows with two workloads."""

    def test_flows(self):
        flows = cross_traffic.flows(1, 30, 150_000_000, 10_000_000, 0.462, 60_000_000)
        self.assertEqual(flows, cross_traffic.flows(1, 30, 150_000_000, 10_000_000, 0.462, 60_000_000))
        incast = [flow for flow in flows if flow[3] == 5_000_000]
        self.assertEqual(len({source for _, source, _, _ in incast}), 30)
        self.assertEqual(len({target for _, _, target, _ in incast}), 1)
        rest = [flow for flow in flows if flow[3] != 5_000_000]
        self.assertTrue(all(source != target for _, source, target, _ in flows))
        # The load of 10,000 flows differs from the requested load only by chance.
        load = 8e9 * sum(flow[3] for flow in rest) / (60e6 * 54 * 40e9)
        self.assertAlmostEqual(load, 0.462, delta=0.02)
        self.assertAlmostEqual(sum(flow[3] <= 1000 for flow in rest) / len(rest), 0.5, delta=0.02)

    def test_the_bytes_of_a_seed(self):
        flows = cross_traffic.flows(7, 2, 1000, 5, 0.5, 20_000)
        self.assertEqual(cross_traffic.flows(7, 2, 1000, 5, 0, 20_000), [flow for flow in flows if flow[0] == 5])
        self.assertNotEqual(flows, cross_traffic.flows(8, 2, 1000, 5, 0.5, 20_000))


@needs_packages
class Rows(unittest.TestCase):
    """The rows, and values computed from rows of data."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.store = Store(os.path.join(self.folder, "data.csv"))

    def add(self, case, **values):
        """Rows of data of a case: metric x by seed."""
        for run in case.runs([int(seed[1:]) for seed in values]):
            self.store.add(run, "0123456789", {seed: {"x": values[f"s{seed}"]} for seed in run.seeds})

    def test_all_rows_are_there(self):
        sections = {"A": 7, "B": 17, "C": 8, "D": 6, "E": 2}
        names = [f"{letter}{number}" for letter, last in sections.items() for number in range(1, last + 1)]
        names.insert(names.index("B11"), "B10a")
        self.assertEqual([name for name, each in all_rows().items() if not each.experiment], names)
        for setting in (row.Setting(name, quick) for name in READINGS for quick in (False, True)):
            for each in all_rows().values():
                self.assertTrue(each.quantities(setting), each.name)
        self.assertEqual(set(catalogue.FIGURE_ROWS.values()) - set(all_rows()), set())

    def test_an_experiment_has_the_name_of_the_row_that_it_explains(self):
        rows = all_rows()
        experiments = [name for name, each in rows.items() if each.experiment]
        self.assertIn("B12x", experiments)
        for name in experiments:
            self.assertTrue(name.endswith("x") and not rows[name[:-1]].experiment, name)
            # The reading of an experiment does not depend on the command line.
            self.assertEqual(*(
                rows[name].cases(row.Setting(reading)) for reading in ("wire", MAIN)
            ), name)

    def test_experiments_run_where_they_are_asked_for(self):
        def asked(*words):
            rows = catalogue.request(cli.parser().parse_args(["irn", *words])).rows
            return [each.name for each in rows if each.experiment], [
                each.name for each in rows if not each.experiment
            ]

        self.assertEqual(asked()[0], [])
        self.assertEqual(asked("--rows=B12x,B1"), (["B12x"], ["B1"]))
        experiments, others = asked("--experiments")
        self.assertTrue("B12x" in experiments and not others)
        # Tables without names of rows have no experiments.
        self.assertNotIn("B12x", report.Tables("irn", {}, False)(["summary"]))

    def test_ratios_are_paired_by_seed(self):
        one, other = (row.Case(name, "fake", (name,), None, seeded=True) for name in ("a", "b"))
        self.add(one, s1=10, s2=40, s3=7)
        self.add(other, s1=5, s2=10)
        quantity = row.quotient("a / b", one, other, "x", expected.ratio(2, 3))
        _, data = self.store.read()
        self.assertEqual(quantity.values(data, [1, 2, 3]), {"1": 2.0, "2": 4.0})
        self.assertEqual(quantity.estimate(data, [1, 2, 3]).mean, 3.0)
        only = row.Row("X1", "claim", lambda setting: [quantity])
        lines = tables.row_table([only], data, None, lambda each: [1, 2, 3]).splitlines()
        self.assertEqual(lines[2], "| X1 | a / b | x | 2 to 3 | 3.00 +- 12.71 | 2 | hit |")
        lines = tables.row_table([only], {}, None, lambda each: [1]).splitlines()
        self.assertEqual(lines[2], "| X1 | a / b | x | 2 to 3 | not run | - | not run |")

    def test_a_grid_has_the_value_of_each_seed(self):
        one, other = (row.Case(name, "fake", (name,), None, seeded=True) for name in ("a", "b"))
        self.add(one, s1=8, s2=4)
        shown = [row.value("thing", case, "x", expected.report(), label, 0)
                 for case, label in ((one, "0us"), (other, "25us"))]
        shown.append(row.value("another", one, "x", expected.report(), "25us", 1))
        only = row.Row("X1", "claim", lambda setting: [], shown=lambda setting: shown)
        self.assertEqual(only.cases(None), [one, other])
        lines = tables.grid_table(only, self.store.read()[1], None, lambda each: [1, 2]).splitlines()
        self.assertEqual(lines, [
            "| X1 | 0us | 25us |", "|---|---|---|", "| thing | 8, 4 | not run |",
            "| another |  | 8.0, 4.0 |",
        ])

        many = row.Row("X1", "claim", lambda setting: [], shown=lambda setting: shown[:1])
        self.add(one, s3=6, s4=6, s5=6, s6=6)
        _, data = self.store.read()
        self.assertIn("8, 4, 6, 6, 6, 6 |", tables.grid_table(many, data, None, lambda each: range(1, 8)))
        self.add(one, s7=6)
        _, data = self.store.read()
        self.assertIn("6 +- 1 (7 seeds) |", tables.grid_table(many, data, None, lambda each: range(1, 8)))

    def test_the_summary_has_verdict_and_what_was_not_run(self):
        cases = [row.Case(name, "fake", (name,), None, seeded=True) for name in "abc"]
        quantities = [row.value("x", case, "x", expected.above(1)) for case in cases]
        only = row.Row("X1", "claim", lambda setting: quantities)

        def verdict():
            return tables.verdict_of(only, self.store.read()[1], None, lambda each: [1])

        self.assertEqual(verdict(), "not run")
        self.add(cases[0], s1=2)
        self.assertEqual(verdict(), "hit; not run (2 of 3 values)")
        self.add(cases[1], s1=0.5)
        self.assertEqual(verdict(), "miss (1 of 3 values); not run (1 of 3 values)")
        self.add(cases[2], s1=2)
        self.assertEqual(verdict(), "miss (1 of 3 values)")
        self.add(cases[1], s1=2)
        self.assertEqual(verdict(), "hit")

    def test_a_network_looks_alike_in_all_figures(self):
        shown = figures.Data({}, ("1",), row.Setting())
        for name in ("irn-1", "irn-2", "irn-7", "irn-11"):
            legend = figures.FIGURES["irn"][name](shown).legends[0]
            handle = dict(zip((text.get_text() for text in legend.texts), legend.legend_handles))["IRN"]
            look = style.bar(figures.LOOKS["irn"])
            self.assertEqual(handle.get_hatch(), look["hatch"], name)

    def test_figure_9_pairs_seeds(self):
        irn, roce = (incast(network, "none", 10, row.Setting()) for network in ("irn", "roce-pfc"))
        for one, values in ((irn, {"1": 10, "2": 30}), (roce, {"2": 20})):
            for run in one.runs([int(seed) for seed in values]):
                value = values[run.seeds[0]]
                self.store.add(run, "0123456789", {run.seeds[0]: {"last_completion_us": value}})
        picture = figures.incasts(figures.Data(self.store.read()[1], ("1", "2"), row.Setting()))
        self.assertEqual(list(picture.axes[0].lines[0].get_ydata()), [1.5])

    def test_a_case_in_a_folder_of_its_own(self):
        for seeded in (False, True):
            case = row.Case("a", "fake", (), None, seeded=seeded, directory="/here")
            self.assertEqual([run.directory for run in case.runs([1])], ["/here"])

    def test_wide_values_of_short_runs_get_more_seeds(self):
        short, long = (row.Case(name, "fake", (name,), None, cost, seeded=True)
                       for name, cost in (("short", 2.0), ("long", 200.0)))
        costs = Costs(os.path.join(self.folder, "none.csv"))

        def lacking(*cases):
            quantity = row.Quantity("a", "x", cases, lambda *of: of[0]["x"], expected.report())
            only = row.Row("X1", "claim", lambda setting: [quantity])
            runs = wide.runs(only, None, self.store.read()[1], ["1", "2", "3", "4"], costs)
            return sorted(int(run.seeds[0]) for run in self.store.pending(runs))

        self.assertEqual(lacking(short), [])
        self.add(short, s1=10)
        self.assertEqual(lacking(short), [])
        self.add(short, s2=20)
        self.add(long, s1=10, s2=20)
        self.assertEqual(lacking(short), [3, 4])
        self.assertEqual(lacking(long), [])
        self.assertEqual(lacking(short, long), [])
        self.add(short, s3=15, s4=15)
        self.assertEqual(lacking(short), [5, 6, 7, 8])
        self.add(short, s2=10.1, s3=10, s4=10)
        self.assertEqual(lacking(short), [])

    def test_undecided_values_of_short_runs_get_more_seeds(self):
        case = row.Case("a", "fake", (), None, 2.0, seeded=True)
        quantity = row.value("a", case, "x", expected.ratio(1, 2.4))
        only = row.Row("X1", "claim", lambda setting: [quantity])
        costs = Costs(os.path.join(self.folder, "none.csv"))
        for values, more in (
            ({"s1": 0.9, "s2": 0.91}, 0), ({"s1": 0.99, "s2": 1.0}, 2), ({"s1": 1.2, "s2": 1.21}, 0),
        ):
            with self.subTest(values=values):
                self.add(case, **values)
                runs = wide.runs(only, None, self.store.read()[1], ["1", "2"], costs)
                self.assertEqual(len(self.store.pending(runs)), more)

    def test_a_value_has_thirty_seeds_at_most(self):
        self.assertEqual(list(wide.seeds_for(student.Estimate(1.0, 1.0, 20))), list(range(1, 31)))

    def test_a_value_that_a_run_lacks_is_not_run(self):
        case = row.Case("a", "fake", (), None, seeded=True)
        self.add(case, s1=None)
        quantity = row.value("a", case, "x", expected.exactly(0))
        self.assertIsNone(quantity.estimate(self.store.read()[1], [1]))

    def test_metrics_count_flows_of_the_window(self):
        put(self.folder, "summary.json", '{"avg_fct_us": 3.5, "cpu_s": 9, "drops": 2}')
        put(self.folder, "flows.csv", FLOWS)
        found = fabric.metrics(Outcome(self.folder, "", ("--warmUp=1ms", "--measure=2000us", "--cc=none")))
        self.assertEqual((found["counted_flows"], found["counted_completed"]), (3, 2))
        self.assertEqual((found["packets"], found["timeouts"]), (1 + 1 + 3 + 1 + 1 + 3, 1))
        self.assertEqual((found["half1_avg_fct_us"], found["half2_avg_fct_us"]), (4.0, None))
        self.assertEqual((found["single_p90_us"], found["last_completion_us"]), (2.0, 3009.0))
        self.assertNotIn("cpu_s", found)

    def test_the_main_reading_and_the_quick_one(self):
        self.assertEqual(
            row.Setting().load(),
            ("--load=0.7", "--ns3::RdmaPoissonWorkload::LoadOf=WireAcks", "--warmUp=10ms", "--measure=40ms", "--stop=300ms"),
        )
        self.assertIn("--measure=2ms", row.Setting(MAIN, True).load())
        rows = [each for name, each in all_rows().items() if name[0] == "B" and not each.experiment]
        runs = {run for each in rows for case in each.cases(row.Setting(quick=True)) for run in case.runs([1])}
        # Under 10 minutes on 2 cores.
        self.assertLess(sum(run.cost for run in runs), 2 * 600)

    def test_pages(self):
        page = "# T\n\n<!-- reproduce: {} -->\nstale text\n<!-- /reproduce -->\nend\n"
        made = report.Tables("parking-lot", {}, False)
        text = pages.filled(page.format("rows A1-A2 A6"), made, "p.md")
        self.assertEqual(re.findall(r"^\| (A\d)", text, re.M), ["A1"] * 3 + ["A2"] * 2 + ["A6"] * 3)
        self.assertEqual(text.count("not run | - | not run"), 8)
        self.assertNotIn("stale text", text)
        self.assertTrue(text.startswith("# T\n\n<!-- reproduce: rows") and text.endswith("-->\nend\n"))
        self.assertEqual(pages.filled(text, made, "p.md"), text)
        for words, message in (("rows A9", "there is no row A9"), ("chart", "no table 'chart'"),
                               ("rows A3-A1", "A3-A1")):
            with self.assertRaisesRegex(RunError, message):
                pages.filled(page.format(words), made, "p.md")
        with self.assertRaisesRegex(RunError, "no <!-- /reproduce -->"):
            pages.filled("<!-- reproduce: rows -->\n", made, "p.md")

    def test_a_quick_page_says_so(self):
        source = put(self.folder, "p.md", "# T\n\ntext\n<!-- reproduce: commits -->\n<!-- /reproduce -->\n")
        made = report.Tables("parking-lot", {}, False)
        for note, head in (("", b"# T\n\ntext\n"), ("short", b"# T\n\n**short**\n\ntext\n")):
            pages.write(source, os.path.join(self.folder, "out.md"), made, note)
            self.assertTrue(contents(self.folder, "out.md").startswith(head))

    def test_committed_pages_are_those_of_the_committed_data(self):
        for page in catalogue.pages():
            name = catalogue.PAGES[page][1]
            _, data = Store(os.path.join(ROOT, "doc", "validation", "data", f"{page}.csv")).read()
            text = contents(ROOT, "doc", "validation", name).decode()
            self.assertEqual(
                pages.filled(text, report.Tables(page, data, False), name), text,
                f"tools/reproduce {page} writes {name} again",
            )

    def test_costs(self):
        costs = Costs(os.path.join(self.folder, "costs.csv"))
        one, other, third = (Run("fake", (name,), (seed,), cost=cost) for name, seed, cost in (
            ("a", "1", 5.0), ("a", "2", 5.0), ("b", "1", None)))
        self.assertEqual(costs.of_all([one, third]), [5.0, 5.0])
        costs.note(one, 8.0)
        self.assertEqual(Costs(costs.path).of_all([one, other, third]), [8.0, 8.0, 8.0])
        # Runs never performed: the estimate, scaled by the ratio of cost to estimate of other runs.
        longer = Run("fake", ("c",), ("1",), cost=100.0)
        self.assertEqual(costs.of(longer), 100.0)
        another = Run("other", (), ("",), cost=3.0)
        costs.learn([one, longer, third, another])
        self.assertEqual(costs.of_all([one, longer, third, another]), [8.0, 160.0, 57.0, 3.0])


@needs_packages
class Tool(unittest.TestCase):
    """The whole tool."""

    def reproduce(self, *words, status=0):
        """Runs the tool; returns its output and its messages."""
        done = subprocess.run(command("reproduce", *words), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def test_wrong_words(self):
        for words, message in (
            (("iron",), "there is no page 'iron'; accepted: parking-lot, irn, scale, cc"),
            (("irn", "--rows=B1,A1"), "--rows=B1,A1: 'A1'; accepted: B1, B2"),
            (("irn", "--figures=1"), "--figures=1: '1'; accepted: irn-1"),
            (("irn", "--readings=x"), "accepted: wire-acks, wire"),
            (("scale", "--experiments"), "scale has no experiments; accepted: --experiments with irn, cc or all"),
            (("irn", "--seeds=0"), '"0"; accepted: a number of seeds'),
            (("irn", "--quick", f"--out={VALIDATION}"), "anywhere but into doc/validation"),
        ):
            _, said = self.reproduce(*words, status=2)
            self.assertIn(message, said)

    def test_traffic_of_the_power_tcp_program(self):
        flows = power_tcp.flows(3, 100)
        self.assertEqual(flows, power_tcp.flows(3, 100))
        self.assertNotEqual(flows, power_tcp.flows(4, 100))
        # Hosts of the first rack send to both racks, those of the second to their own.
        racks = {(source // 32, target // 32) for _, source, target, _ in flows}
        self.assertEqual(racks, {(0, 0), (0, 1), (1, 1)})
        self.assertTrue(all(source != target for _, source, target, _ in flows))
        # 64 hosts x 3.75 Gb/s x 100 ms are 3 GB. The mean size is 1,711,222.5 B, so about 1753 flows start;
        # 15% of all are at most 10 KB.
        self.assertAlmostEqual(len(flows), 1753, delta=4 * 1753 ** 0.5)
        share = sum(size <= 10_000 for *_, size in flows) / len(flows)
        self.assertAlmostEqual(share, 0.15, delta=4 * (0.15 * 0.85 / 1753) ** 0.5)

    def test_list(self):
        printed, _ = self.reproduce("irn", "--rows=B1,B2,B7", "--seeds=2", "--quick", "--list")
        lines = [line.split()[:2] for line in printed.splitlines()[1:4]]
        # All three rows need the runs of IRN. The list counts these runs in the first row.
        self.assertEqual(lines, [["B1", "4"], ["B2", "2"], ["B7", "0"]])

    @unittest.skipUnless(built_program.find("rdma-parking-lot"), "rdma-parking-lot is not on the PATH")
    def test_parking_lot_twice(self):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            self.reproduce("parking-lot", "--quick", f"--out={first}")
            self.reproduce("parking-lot", "--quick", f"--out={second}", "--rows=A4", "--jobs=1")
            self.reproduce("parking-lot", "--quick", f"--out={second}", "--jobs=2")
            for name in ("parking-lot.md", "data/parking-lot.csv", "figures/parking-lot-4.png"):
                self.assertEqual(contents(first, name), contents(second, name), name)
            self.assertIn("**`--quick`: short windows", contents(first, "parking-lot.md").decode())
            rows = list(csv.DictReader(contents(first, "data/parking-lot.csv").decode().splitlines()))
            self.assertEqual(len(rows), 4)
            self.assertIn("| A1 | PFC alone | A, Gb/s | 6.3 +- 2% | 6.4", contents(first, "parking-lot.md").decode())


if __name__ == "__main__":
    unittest.main()
