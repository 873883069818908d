# SPDX-License-Identifier: GPL-2.0-only
"""The tables of the pages, as Markdown."""

from rdma_runs.student import estimate

from .expected import NOT_RUN, REPORT, worst

# A cell with more seeds than this has their mean.
EACH = 6


def number(value, digits):
    """A number with some decimals."""
    return f"{value:.{digits}f}"


def measured(quantity, found):
    """A mean with its interval."""
    if found is None:
        return NOT_RUN
    text = number(found.mean, quantity.digits)
    if found.half is not None:
        text += f" +- {number(found.half, quantity.digits)}"
    return text + quantity.unit


def seeds_of(quantity, found):
    """The number of seeds of a value."""
    if found is None or not any(case.seeded or case.inner for case in quantity.cases):
        return "-"
    return str(found.count)


def row_table(rows, data, setting, seeds):
    """A line for each quantity of some rows."""
    lines = ["| row | what | metric | source | measured | seeds | verdict |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        for quantity in row.quantities(setting):
            found = quantity.estimate(data, seeds(row))
            verdict = quantity.expected.verdict(found and found.mean)
            bold = f"**{verdict}**" if verdict not in ("hit", REPORT, NOT_RUN) else verdict
            lines.append(
                f"| {row.name} | {quantity.what} | {quantity.metric} | {quantity.expected.text} "
                f"| {measured(quantity, found)} | {seeds_of(quantity, found)} | {bold} |"
            )
    return "\n".join(lines)


def grid_table(row, data, setting, seeds):
    """A line for each subject of a quantity and a column for each metric.

    A cell has the value of each seed, or the mean of many.
    """
    cells = {}
    metrics = {}
    for quantity in row.shown(setting):
        found = list(quantity.values(data, seeds(row)).values())
        if len(found) > EACH:
            text = f"{measured(quantity, estimate(found))} ({len(found)} seeds)"
        else:
            text = ", ".join(number(each, quantity.digits) + quantity.unit for each in found)
        cells.setdefault(quantity.what, {})[quantity.metric] = text or NOT_RUN
        metrics[quantity.metric] = None
    lines = [f"| {row.name} | {' | '.join(metrics)} |", "|---|" + "---|" * len(metrics)]
    lines += [
        f"| {what} | {' | '.join(line.get(metric, '') for metric in metrics)} |"
        for what, line in cells.items()
    ]
    return "\n".join(lines)


def verdict_of(row, data, setting, seeds):
    """The verdict on a row, the number of values with that verdict, and the number of values without a run."""
    verdicts = []
    for quantity in row.quantities(setting):
        found = quantity.estimate(data, seeds(row))
        verdicts.append(quantity.expected.verdict(found and found.mean))
    made = [verdict for verdict in verdicts if verdict != NOT_RUN]
    whole = text = worst(made)
    if whole not in ("hit", REPORT, NOT_RUN) and len(verdicts) > 1:
        text += f" ({made.count(whole)} of {len(verdicts)} values)"
    if made and len(made) < len(verdicts):
        text += f"; not run ({len(verdicts) - len(made)} of {len(verdicts)} values)"
    return text


def summary_table(rows, data, setting, seeds):
    """A line for each row: the claim and the verdict, which is that of its worst value."""
    lines = ["| row | claim | verdict |", "|---|---|---|"]
    lines += [
        f"| {row.name} | {row.claim} | {verdict_of(row, data, setting, seeds)} |" for row in rows
    ]
    return "\n".join(lines)


def case_table(cases, columns, data, seeds):
    """A line for each case with the mean of each column: (metric, title, scale, digits)."""
    from .row import numbers

    lines = [f"| case | seeds | {' | '.join(column[1] for column in columns)} |",
             "|---|---|" + "---|" * len(columns)]
    for case in cases:
        keys = [key for run in case.runs(seeds) for key in run.keys() if key in data]
        found = [numbers(data[key]) for key in keys]
        cells = []
        for name, _, scale, digits in columns:
            value = estimate([row[name] * scale for row in found if name in row])
            if value is None:
                cells.append(NOT_RUN)
            else:
                half = "" if value.half is None else f" +- {number(value.half, digits)}"
                cells.append(number(value.mean, digits) + half)
        lines.append(f"| {case.name} | {len(found)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def reading_table(rows, data, settings, seeds):
    """The values of some rows at several readings, a column for each."""
    titles = [setting.reading for setting in settings]
    lines = [f"| row | what | metric | source | {' | '.join(titles)} |",
             "|---|---|---|---|" + "---|" * len(titles)]
    for row in rows:
        for quantities in zip(*(row.quantities(setting) for setting in settings)):
            cells = []
            for quantity in quantities:
                found = quantity.estimate(data, seeds(row))
                verdict = quantity.expected.verdict(found and found.mean)
                text = measured(quantity, found)
                cells.append(text if verdict in (NOT_RUN, REPORT) else f"{text}, {verdict}")
            first = quantities[0]
            lines.append(
                f"| {row.name} | {first.what} | {first.metric} | {first.expected.text} "
                f"| {' | '.join(cells)} |"
            )
    return "\n".join(lines)
