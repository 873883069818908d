# SPDX-License-Identifier: GPL-2.0-only
"""B1 to B7: IRN and RoCE, with and without PFC, with and without congestion control."""

from ..expected import Expected, ratio
from ..fabric import TITLES, CONTROLS, case
from ..row import Quantity, Row, quotient

METRICS = (
    ("avg_slowdown", "average slowdown"), ("avg_fct_us", "average FCT"), ("p99_fct_us", "99% FCT"),
)


def compare(worse, better, controls, expected):
    """The quantities of a row that compares two networks in the paper's three metrics."""
    def quantities(setting):
        result = []
        for control in controls:
            one, other = case(worse, control, setting), case(better, control, setting)
            what = f"{TITLES[worse]} / {TITLES[better]}"
            if CONTROLS[control]:
                what += f", {CONTROLS[control]}"
            result += [quotient(what, one, other, name, expected, label) for name, label in METRICS]
        return result

    return quantities


def drop_rate(setting):
    """Lost frames in percent of the data packets sent."""
    return [Quantity(
        "IRN", "frames lost / packets", (case("irn", "none", setting),),
        lambda row: 100 * row["drops"] / row["packets"], Expected("8.5% (7.2 to 9.8)", 7.2, 9.8, 0.0), 2, "%",
    )]


CC = ("timely", "dcqcn")
ROWS = (
    Row("B1", "RoCE with PFC is worse than IRN by up to 2.8 to 3.7 (figure 1)",
        compare("roce-pfc", "irn", ("none",), ratio(2.8, 3.7)), read=True),
    Row("B2", "PFC makes IRN worse by about 1.5 to 2 (figure 2)",
        compare("irn-pfc", "irn", ("none",), ratio(1.5, 2)), read=True),
    Row("B3", "RoCE is worse without PFC by 1.5 to 3 (figure 3)",
        compare("roce", "roce-pfc", ("none",), ratio(1.5, 3)), read=True),
    Row("B4", "RoCE with PFC is worse than IRN by up to 1.5 to 2.2, with TIMELY, with DCQCN (figure 4)",
        compare("roce-pfc", "irn", CC, ratio(1.5, 2.2)), read=True),
    Row("B5", "PFC changes IRN by -1% to +3.4%, with TIMELY, with DCQCN (figure 5)",
        compare("irn-pfc", "irn", CC, ratio(0.99, 1.034)), read=True),
    Row("B6", "RoCE is worse without PFC by 1.35 to 3.5, with TIMELY, with DCQCN (figure 6)",
        compare("roce", "roce-pfc", CC, ratio(1.35, 3.5)), read=True),
    Row("B7", "IRN loses 8.5% of its packets", drop_rate, read=True),
)
