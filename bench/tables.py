# SPDX-License-Identifier: GPL-2.0-only
"""The tables of the benchmark, as text and in the manual. A page of the manual has each table between two comments:

    .. bench: times
    .. end of bench

All between these lines is written from the results, if the results have that part."""

import re

# Times of a table are by kind: a name, the title of the column, and the digits of the numbers.
KINDS = {
    "hop": ("times", "ns/hop", 0),
    "flow": ("flows", "us/flow", 1),
    "setup": ("set-up", "wall s", 2),
}


def show(numbers, digits):
    """A median, and the least and the most in brackets."""
    middle, least, most = (f"{number:.{digits}f}" for number in numbers)
    return f"{middle} ({least} to {most})"


def time_table(times, kind, with_other):
    """The rows of the cases of a kind: a list of texts for each, the titles first."""
    rows = {name: row for name, row in times.items() if row["kind"] == kind}
    _, title, digits = KINDS[kind]
    columns = [
        ("case", lambda name, row: name),
        (title, lambda name, row: show(row["cost"], digits)),
        *([] if kind == "setup" else [("million hops", lambda name, row: f"{row['packet_hops'] / 1e6:.2f}"),
                                      ("events/hop", lambda name, row: f"{row['events_per_hop']:.2f}")]),
        ("process s", lambda name, row: f"{row['process_s']:.2f}"),
        ("MB", lambda name, row: f"{row['peak_rss_mb']:.0f}"),
    ]
    if with_other and any("other" in row for row in rows.values()):
        columns += [
            ("other", lambda name, row: show(row["other"], digits)),
            ("ratio", lambda name, row: f"{row['to_other']:.2f}"),
            ("other MB", lambda name, row: f"{row['other_rss_mb']:.0f}"),
            ("results", lambda name, row: "same" if row["same_digest"] else "DIFFER"),
        ]
    return [[title for title, _ in columns], *([f(name, row) for _, f in columns] for name, row in rows.items())]


def threads_table(threads):
    """The rows of two threads."""
    rows = [["case", "one thread, s", "two threads, s", "speed-up", "beside two processes", "with a stranger"]]
    for name, row in threads.items():
        more = [show(row[key], 2) if key in row else "none" for key in ("to_processes", "busy")]
        rows.append([name, *(show(row[key], 2) for key in ("one_s", "two_s", "speed_up")), *more])
    return rows


def counts_table(counts):
    """The rows of instructions and misses."""
    rows = [["case", "instructions/hop", "events/hop", "first-level misses", "misses of 2 MB"]]
    for name, row in counts.items():
        rows.append([name, f"{row['instructions']:.0f}", f"{row['events']:.2f}", f"{row['first']:.1f}",
                     f"{row['second']:.2f}"])
    return rows


def peers_table(peers):
    """The rows of other simulators."""
    rows = [["case", "this module, s", "the other, s", "ratio"]]
    for name, row in peers.items():
        rows.append([name, show(row["own_s"], 2), show(row["peer_s"], 2), show(row["ratios"], 1)])
    return rows


def memory_table(times):
    """The bytes of what rdma-bench-memory counts."""
    rows = [["what", "bytes"]]
    for row in times.values():
        rows += [[name.replace("bytes_per_", "").replace("_", " "), f"{value:.0f}"]
                 for name, value in row.get("bytes", {}).items()]
    return rows


def all_tables(results, with_other):
    """The tables of results, by the names of the comments in the manual. Without rows, there is no table."""
    times = results.get("times", {})
    found = {
        **{name: time_table(times, kind, with_other) for kind, (name, _, _) in KINDS.items()},
        "memory": memory_table(times),
        "threads": threads_table(results.get("threads", {})),
        "counts": counts_table(results.get("counts", {})),
        "peers": peers_table(results.get("peers", {})),
    }
    return {name: rows for name, rows in found.items() if len(rows) > 1}


def describe(machine):
    """A line about the machine."""
    load = " to ".join(map(str, machine["load"])) or "not measured"
    pipeline = machine.get("pipeline_event_ns")
    return "; ".join([
        f"{machine['cpu']}, {machine['cores']} cores",
        f"caches {machine['caches']}",
        f"core {machine['core']}, load {load}, {machine['rounds']} rounds",
        *([f"{pipeline} ns for an event of a bare pipeline"] if pipeline else []),
        f"{machine['version']}; {machine['date']}",
    ])


def as_text(results):
    """All tables for a terminal."""
    parts = []
    for rows in all_tables(results, with_other=True).values():
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        parts.append("\n".join(
            "  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))
            for row in rows
        ))
    return "\n\n".join([*parts, describe(results["machine"])])


def as_rst(rows):
    """A table of the manual."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = " ".join("=" * width for width in widths)
    lines = [" ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def fill_page(text, results):
    """The text of a page with the tables of the results."""
    # The manual knows one build.
    parts = {name: as_rst(rows) for name, rows in all_tables(results, with_other=False).items()}
    parts["machine"] = describe(results["machine"]).replace("; ", ";\n") + "."
    for name, part in parts.items():
        text = re.sub(
            rf"(^\.\. bench: {re.escape(name)}\n)(.*?)(^\.\. end of bench$)",
            lambda match, part=part: f"{match[1]}\n{part}\n\n{match[3]}",
            text, flags=re.M | re.S,
        )
    return text


def write_page(path, results):
    """Writes the tables into a page."""
    path.write_text(fill_page(path.read_text(encoding="utf-8"), results), encoding="utf-8")
