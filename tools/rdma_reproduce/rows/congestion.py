# SPDX-License-Identifier: GPL-2.0-only
"""D1 to D5: congestion control against its own theory."""

import functools
import os

import pandas
from rdma_runs.results import matches, summary
from rdma_runs.run import RunError

from .. import texts
from ..expected import at_least, at_most, between, exactly, within
from ..row import Case, Quantity, Row, value

CURVES = (("line to 980 KB", "5KB:980KB:0.05"), ("paper's curve", "5KB:200KB:0.01"))
NUMBER = r" +(-?[\d.]+)"


def fluid(outcome):
    """The table of rdma-fluid: {seed: metrics}."""
    names = ("queue", "marks", "sum", "jain", "smallest", "largest")
    model = {
        f"model_{name}": matches(outcome, {"x": "^fluid model" + r" +[\d.]+" * place + NUMBER})["x"]
        for place, name in enumerate(names)
    }
    fixed = texts.re.search(r"^fixed point: (?:([\d.]+)% marked)?", outcome.stdout, texts.re.M)
    if fixed and fixed[1]:
        model["fixed_marks"] = float(fixed[1])
    result = {}
    for line in outcome.stdout.splitlines():
        found = texts.re.match(r"packets, seed (\d+)(.*)", line)
        if found:
            values = [float(word) for word in found[2].split()]
            result[found[1]] = {**dict(zip(names, values)), **model}
    if not result:
        raise RunError("there is no line of a seed")
    return result


def dcqcn(flows, curve, setting):
    """A run of the model and of eight seeds of packets."""
    # A shorter run would not settle, so a quick run only has fewer seeds.
    seeds = 2 if setting.quick else 8
    options = (f"--flows={flows}", "--duration=200ms", f"--seeds={seeds}", "--markAt=departure",
               f"--ecn={curve}", "--output=none")
    inner = tuple(str(seed) for seed in range(1, seeds + 1))
    return Case(f"{flows} flows", "rdma-fluid", options, fluid, 12.0 * seeds / 8, inner=inner)


def against_model(setting, metric, theory, tolerance):
    """D1, D2: packets over theory for 2 to 16 flows and both curves."""
    return [
        Quantity(f"{title}, {flows} flows", f"{metric}, packets / theory",
                 (dcqcn(flows, curve, setting),), lambda row: row[metric] / row[theory],
                 within(1, tolerance), 3)
        for title, curve in CURVES for flows in (2, 4, 8, 16)
        # The paper's curve cannot reach the fixed point of 16 flows, which lies above its Pmax.
        if metric != "marks" or curve != CURVES[1][1] or flows < 16
    ]


def shares(setting):
    """D1: fairness."""
    return [
        value(f"{CURVES[0][0]}, {flows} flows", dcqcn(flows, CURVES[0][1], setting), "jain",
              at_least(0.95), "Jain's index", 3) for flows in (2, 4, 8, 16)
    ]


def timely(setting):
    """D3: shares of TIMELY depend on the start, those of patched TIMELY do not."""
    del setting
    result = []
    for model in ("timely", "patched-timely"):
        for start in ("5Gbps,5Gbps", "7Gbps,3Gbps", "9Gbps,1Gbps"):
            case = Case(f"{model}, {start}", "rdma-fluid", (
                f"--model={model}", "--rate=10Gbps", "--flows=2", "--duration=400ms",
                f"--startRates={start}", "--output=none"), fluid, 20.0, inner=("1",))
            patched = model == "patched-timely"
            expected = within(0.5, 0.02) if patched else at_least(0.55, "unequal (0.55 and more)")
            result.append(value(case.name, case, "largest", expected, "largest share", 3))
            if patched:
                result.append(value(case.name, case, "queue", within(70.9, 0.05), "queue, kB", 1))
    return result


def port(begin_ms, end_ms, outcome):
    """Mean queue and use of the receiver's port from one time to another, from its monitor."""
    table = pandas.read_csv(os.path.join(outcome.folder, "monitor.csv"))
    table = table[(table.priority == 3) & table.ingress_bytes.notna()]
    table = table[(table.time_ns > begin_ms * 1e6) & (table.time_ns <= end_ms * 1e6)]
    if table.empty:
        raise RunError("the run has no rows in the time that counts")
    name = table.groupby("port_name").tx_bytes.max().idxmax()
    one = table[table.port_name == name]
    sent = one.tx_bytes.iloc[-1] - one.tx_bytes.iloc[0]
    nanoseconds = one.time_ns.iloc[-1] - one.time_ns.iloc[0]
    return {
        **{key: count for key, count in summary(outcome).items() if isinstance(count, int)},
        "queue_kb": one.queue_bytes.mean() / 1e3, "peak_kb": one.queue_bytes.max() / 1e3,
        "gbps": 8 * sent / nanoseconds,
    }


def bottleneck(control, flows, setting, begin_ms, end_ms):
    """Long flows through one port at 100 Gb/s, with random starts, on average 100 us apart."""
    del setting
    options = (
        f"--topology=star:{flows + 1}", f"--workload=incast:{flows}[Jitter={100 * flows}us]",
        "--bytes=1GB", f"--cc={control}", f"--stop={end_ms}ms", "--progress=off",
        # The curve is given for 40 Gb/s; at 100 Gb/s the threshold is 100 KB.
        *(("--ecn=40KB:40KB:1",) if control.startswith("dctcp") else ()),
    )
    return Case(
        f"{control}, {flows} flows", "rdma-fabric", options, functools.partial(port, begin_ms, end_ms),
        4.0, seeded=True,
        results=("--out={folder}", "--instruments=monitor:{folder}/monitor.csv[Period=10us]"),
    )


def hpcc(setting):
    """D4: 16 to 1 at 100 Gb/s; tx_bytes omits 20 B that each frame takes on the line."""
    case = bottleneck("hpcc", 16, setting, 5, 15)
    return [
        value(case.name, case, "pause_frames", exactly(0), "pauses", 0),
        value(case.name, case, "gbps", between(91, 96, "about eta = 95% (91 to 96)"),
              "frames at the port, Gb/s", 1),
        value(case.name, case, "queue_kb", at_most(10, "near zero (10 at most)"), "mean queue, kB", 1),
    ]


# Predictions in kB: doc/validation/congestion.md says where they come from.
QUEUES = (
    ("dctcp-window", 2, 96), ("dctcp-window", 16, 99), ("dctcp", 2, 96), ("dctcp", 16, 99),
    ("swift", 2, 296), ("swift", 16, 348), ("powertcp-paper", 2, 10.5), ("powertcp-paper", 16, 84),
    ("powertcp-theta-paper", 2, 10.5), ("powertcp-theta-paper", 16, 84),
    ("powertcp-theta", 2, 2.8), ("powertcp-theta", 16, 3.9),
)
# The rules of PowerTCP's authors leave no queue and use a part of the port, in Gb/s of frames.
USES = ((2, 93.6), (16, 95.6))


def queues(setting):
    """D5: mean queue and use of the port against the papers' predictions."""
    result = []
    for control, flows, queue in QUEUES:
        case = bottleneck(control, flows, setting, 20, 30)
        result += [
            value(case.name, case, "queue_kb", within(queue, 0.1), "mean queue, kB", 1),
            value(case.name, case, "gbps", at_least(97), "frames at the port, Gb/s", 1),
        ]
    for flows, gbps in USES:
        case = bottleneck("powertcp", flows, setting, 20, 30)
        result += [
            value(case.name, case, "queue_kb", at_most(10, "near zero (10 at most)"), "mean queue, kB", 1),
            value(case.name, case, "gbps", within(gbps, 0.01), "frames at the port, Gb/s", 1),
        ]
    return result


ROWS = (
    Row("D1", "DCQCN: fair shares, the mean queue within 15% of the fluid model",
        lambda setting: [*against_model(setting, "queue", "model_queue", 0.15), *shares(setting)]),
    Row("D2", "DCQCN: the marking probability within 10% of the fixed point",
        lambda setting: against_model(setting, "marks", "fixed_marks", 0.1)),
    Row("D3", "TIMELY has no unique fixed point, patched TIMELY has one", timely),
    Row("D4", "HPCC, 16 to 1: no pause, the port in use to about eta, queue near zero", hpcc),
    Row("D5", "DCTCP, Swift, PowerTCP: queue and use of a port as their papers predict", queues),
)
