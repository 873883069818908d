# SPDX-License-Identifier: GPL-2.0-only
"""The figures of the papers, in their layout: bars by metric, lines of tails."""

import dataclasses

from rdma_runs import style
from rdma_runs.student import estimate

from .expected import report
from .fabric import CONTROLS, PERCENTILES, TITLES, case
from .row import Setting, numbers, quotient
from .rows.hardware import FRAMING, SHOWN_MODELS, SIZES, messages
from .rows.irn_incast import CONTROLLED, SENDERS, incast
from .rows.parking_lot import HOSTS, RCM_1A, RCM_1B, plain, rcm

# Inches: one column, and the width of the text, of a paper with two columns.
COLUMN, TEXT = 3.4, 7.0
METRICS = (
    ("avg_slowdown", "Avg slowdown", 1), ("avg_fct_us", "Avg FCT (ms)", 1e-3),
    ("p99_fct_us", "99%ile FCT (ms)", 1e-3),
)


# The look of each network: alike in all figures.
LOOKS = {
    "roce-pfc": 0, "irn": 1, "irn-pfc": 2, "roce": 3, "irn-go-back-n": 4, "irn-no-bdp-fc": 5, "iwarp": 6,
}


@dataclasses.dataclass(frozen=True)
class Data:
    """The rows of finished runs, and the seeds that count."""

    rows: dict
    seeds: tuple
    setting: Setting

    def estimate(self, one, metric, scale=1.0):
        """A metric of a case, or None."""
        keys = [key for run in one.runs(self.seeds) for key in run.keys() if key in self.rows]
        found = [numbers(self.rows[key]) for key in keys]
        return estimate([row[metric] * scale for row in found if metric in row])


def bars(axes, data, groups, looks, metric, scale):
    """Bars: groups is {label of the group: [case of each look]}. Without data: "not run"."""
    width = 0.8 / len(looks)
    for place, group in enumerate(groups.values()):
        for index, (look, one) in enumerate(zip(looks, group)):
            left = place - 0.4 + (index + 0.5) * width
            found = data.estimate(one, metric, scale)
            if found is None:
                axes.text(left, 0, " not run", rotation=90, ha="center", va="bottom", fontsize=7)
                continue
            axes.bar(left, found.mean, 0.92 * width, yerr=found.half, capsize=2.5,
                     error_kw={"elinewidth": 0.9}, **style.bar(look))
    # A single group has no name.
    axes.set_xticks(*((range(len(groups)), list(groups)) if len(groups) > 1 else ([],)))
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.set_ylim(bottom=0)
    style.plain(axes)


def legend(picture, handles, labels):
    """A legend above the picture, of as many columns as fit into its width."""
    # Inches of a letter, and of a handle with its gaps.
    letter, handle = 0.055, 0.52
    needed = handle + letter * max(len(label) for label in labels)
    columns = max(1, min(len(labels), int(picture.get_figwidth() / needed)))
    picture.legend(
        handles, labels, loc="outside upper left", frameon=False, fontsize="small", ncols=columns,
        # As long as a dash on either side of a marker.
        columnspacing=1.0, handlelength=2.8,
    )


def key(picture, labels, looks):
    """Puts the legend of the bars above the picture."""
    from matplotlib.patches import Patch

    legend(picture, [Patch(**style.bar(look)) for look in looks], labels)


def compare(networks, controls=("none",), metrics=METRICS):
    """A function that draws networks side by side in the paper's metrics."""
    def draw(data):
        groups = {
            f"+{CONTROLS[control]}" if CONTROLS[control] else "no CC": [
                case(network, control, data.setting) for network in networks
            ] for control in controls
        }
        looks = [LOOKS[network] for network in networks]
        picture = style.figure(TEXT if len(metrics) > 1 else COLUMN, 2.3)
        panels = picture.subplots(1, len(metrics), squeeze=False)[0]
        for axes, (metric, label, scale) in zip(panels, metrics):
            bars(axes, data, groups, looks, metric, scale)
            axes.set_ylabel(label)
        key(picture, [TITLES[network] for network in networks], looks)
        return picture

    return draw


def mixed(*sides):
    """A function that draws (label, network, control, look) side by side."""
    def draw(data):
        group = [case(network, control, data.setting) for _, network, control, _ in sides]
        looks = [look for *_, look in sides]
        picture = style.figure(TEXT, 2.3)
        for axes, (metric, label, scale) in zip(picture.subplots(1, 3), METRICS):
            bars(axes, data, {"": group}, looks, metric, scale)
            axes.set_ylabel(label)
        key(picture, [label for label, *_ in sides], looks)
        return picture

    return draw


def tails(data):
    """Figure 8: the 90th to 99.9th percentile of single-packet messages."""
    picture = style.figure(TEXT, 2.5)
    known = {}
    for axes, control in zip(picture.subplots(1, 3, sharey=True), CONTROLLED):
        drawn = False
        for network in ("roce-pfc", "irn-pfc", "irn"):
            one = case(network, control, data.setting)
            found = [
                (data.estimate(one, f"single_p{percentile:g}_us".replace(".", "_"), 1e-3), percentile)
                for percentile in PERCENTILES
            ]
            points = [(each.mean, percentile) for each, percentile in found if each]
            if points:
                drawn = True
                axes.plot(*zip(*points), label=TITLES[network], **style.line(LOOKS[network]))
        if not drawn:
            axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center")
        axes.set_title(CONTROLS[control] or "no congestion control", fontsize="medium", loc="left")
        axes.set_xlabel("latency (ms)")
        # Markers at 90% and at 99.9% are whole.
        axes.set_ylim(89.6, 100.4)
        axes.set_yticks(range(90, 101, 2))
        axes.set_xlim(left=0)
        style.plain(axes)
        known.update((label, handle) for handle, label in zip(*axes.get_legend_handles_labels()))
    picture.axes[0].set_ylabel("messages (%)")
    if known:
        legend(picture, list(known.values()), list(known))
    return picture


def incasts(data):
    """Figure 9: the RCT of IRN over that of RoCE with PFC by the number of senders."""
    picture = style.figure(COLUMN, 2.5)
    axes = picture.subplots()
    for index, control in enumerate(CONTROLLED):
        points = []
        for senders in SENDERS:
            one, other = (
                incast(network, control, senders, data.setting) for network in ("irn", "roce-pfc"))
            ratio = quotient("", one, other, "last_completion_us", report())
            found = ratio.estimate(data.rows, data.seeds)
            if found:
                # Intervals side by side.
                points.append((senders + 0.8 * (index - 1), found.mean, found.half or 0))
        if points:
            places, means, halves = zip(*points)
            axes.errorbar(places, means, halves, label=CONTROLS[control] or "no CC", capsize=2.5,
                          elinewidth=0.9, **style.line(index))
    axes.axhline(1, color="#666666", linewidth=0.8)
    axes.set_xlim(min(SENDERS) - 2, max(SENDERS) + 2)
    axes.set_xticks(SENDERS)
    axes.set_xlabel("senders M")
    axes.set_ylabel("RCT of IRN / RoCE with PFC")
    style.plain(axes)
    if axes.get_legend_handles_labels()[0]:
        legend(picture, *axes.get_legend_handles_labels())
    else:
        axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center")
    return picture


def lot(make, wanted):
    """A function that draws the parking lot's rates next to those of the source."""
    def draw(data):
        picture = style.figure(COLUMN, 2.3)
        axes = picture.subplots()
        one = make(data.setting)
        for place, host in enumerate(HOSTS):
            axes.bar(place - 0.2, wanted[host], 0.37, **style.bar(0))
            found = data.estimate(one, host)
            if found:
                axes.bar(place + 0.2, found.mean, 0.37, **style.bar(1))
            else:
                axes.text(place + 0.2, 0, " not run", rotation=90, ha="center", va="bottom", fontsize=7)
        axes.set_xticks(range(4), HOSTS)
        axes.set_ylabel("payload (Gb/s)")
        style.plain(axes)
        key(picture, ["source", "this module"], (0, 1))
        return picture

    return draw


def sizes(data):
    """Row E1: goodput by message size, the source's points and forms of the model."""
    picture = style.figure(COLUMN, 3.0)
    axes = picture.subplots()
    places = range(len(SIZES))
    axes.axhline(FRAMING, color="#666666", linewidth=0.8, label="limit of framing")
    for index, model in enumerate(SHOWN_MODELS):
        found = [data.estimate(messages(model, size, data.setting), "gbps", 1 / 8) for size in SIZES]
        points = [(place, each.mean) for place, each in zip(places, found) if each]
        axes.plot(
            *(zip(*points) if points else ([], [])), label=model if points else f"{model}: not run",
            **style.line(index),
        )
    middle = [(low + high) / 2 for low, high in SIZES.values()]
    # The source gives a range for the first size only.
    spread = [(high - low) / 2 or float("nan") for low, high in SIZES.values()]
    axes.errorbar(places, middle, spread, label="source", linestyle="none", marker="*", markersize=8,
                  color="black", markerfacecolor="white", capsize=4, zorder=3)
    axes.set_xticks(places, SIZES)
    axes.set_ylim(20, 54)
    axes.set_xlabel("message size")
    axes.set_ylabel("goodput (GB/s)")
    style.plain(axes)
    legend(picture, *axes.get_legend_handles_labels())
    return picture


NO_RCM = {"A": 6.3, "B": 6.3, "C": 6.3, "D": 18.9}
CC = ("timely", "dcqcn")
AVERAGE = METRICS[1:2]
# Name of the file, and the function that draws it.
FIGURES = {
    "irn": {
        "irn-1": compare(("roce-pfc", "irn")), "irn-2": compare(("irn-pfc", "irn")),
        "irn-3": compare(("roce-pfc", "roce")), "irn-4": compare(("roce-pfc", "irn"), CC),
        "irn-5": compare(("irn-pfc", "irn"), CC), "irn-6": compare(("roce-pfc", "roce"), CC),
        "irn-7": compare(("irn", "irn-go-back-n", "irn-no-bdp-fc"), CONTROLLED, AVERAGE),
        "irn-8": tails, "irn-9": incasts,
        "irn-10": mixed(
            ("RoCE + DCQCN (Resilient RoCE)", "roce", "dcqcn", LOOKS["roce"]),
            ("IRN", "irn", "none", LOOKS["irn"])),
        "irn-11": mixed(
            ("iWARP", "iwarp", "none", LOOKS["iwarp"]), ("IRN", "irn", "none", LOOKS["irn"]),
            ("IRN + AIMD", "irn", "aimd", 4)),
    },
    "parking-lot": {
        "parking-lot-4": lot(plain, NO_RCM),
        "parking-lot-rcm-1a": lot(lambda setting: rcm("root", setting), RCM_1A),
        "parking-lot-rcm-1b": lot(lambda setting: rcm("threshold", setting), RCM_1B),
    },
    "hardware": {"hardware-1": sizes},
}
