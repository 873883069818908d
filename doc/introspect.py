#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes doc/attributes.rst and doc/traces.rst, the tables of all attributes and trace sources, and
doc/columns.rst and python/ns3_rdma/columns.json, the columns of result files.

They come from the classes themselves, through doc/introspect.cc, which is compiled for it:

    tools/with-ns3 exec doc/introspect.py             writes the files
    tools/with-ns3 exec doc/introspect.py --check     ends with 1 if they are not up to date

Without tools/with-ns3, NS3_BUILD names the output folder of the build (it holds include/ and lib/);
where the module is built apart from ns-3, both folders, separated by a colon.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PROFILE = "(-(default|debug|optimized|minsizerel))?"
HEAD = ".. SPDX-License-Identifier: GPL-2.0-only\n.. Written by doc/introspect.py.\n"


def library(folders, module):
    """The file of a module of ns-3, in whatever way the build named it."""
    for folder in folders:
        for path in glob.glob(os.path.join(folder, "lib", f"libns3*-{module}*.so")):
            if re.fullmatch(rf"libns[\w.]*(-dev)?-{module}{PROFILE}\.so", os.path.basename(path)):
                return path
    raise RuntimeError(f"there is no library of the module {module} in {':'.join(folders)}")


def standard():
    """The option for the C++ that the headers of this ns-3 need."""
    match = re.match(r"(\d+)\.(\d+)", os.environ.get("NS3_VERSION", "3.37"))
    version = (int(match[1]), int(match[2])) if match else (3, 999)
    if version < (3, 41):
        return "-std=c++17"
    return "-std=c++20" if version < (3, 46) else "-std=c++2b"


def introspect(folders):
    """The output of introspect.cc: rows for all classes, and the description of columns."""
    libraries = [library(folders, module) for module in ("rdma", "core")]
    places = [f"{folder}/lib" for folder in folders]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "introspect")
        command = [
            *os.environ.get("CXX", "c++").split(), standard(), "-w", "-o", program,
            os.path.join(HERE, "introspect.cc"), *(f"-I{each}/include" for each in folders),
            "-Wl,--no-as-needed", *libraries, *(f"-Wl,-rpath,{place}" for place in places),
            *(f"-Wl,-rpath-link,{place}" for place in places),
        ]
        subprocess.run(command, check=True)
        printed, columns = (
            subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, text=True).stdout
            for words in ([], ["--columns"])
        )
    return [line.split("\t") for line in printed.splitlines()], columns


def plain(text):
    """A default value as people write it."""
    if re.fullmatch(r"\d+bps", text):
        return f"{int(text[:-3]) / 1e9:g}Gbps"
    if re.fullmatch(r"\+[\d.e+-]+ns", text):
        return f"{float(text[1:-2]):g}ns"
    return text


def accepted(value, kind):
    """The accepted values, from ns-3's name for the value and its note on the checker."""
    value = value.replace("ns3::", "")
    if value == "BooleanValue":
        return "true, false"
    if value == "EnumValue":
        return kind.replace("|", ", ")
    if value == "PointerValue":
        name = re.sub(r"ns3::Ptr< ns3::(\w+) >", r"\1", kind)
        return f"an {name}" if name[0] in "AEIO" else f"a {name}"
    if value in ("UintegerValue", "IntegerValue", "DoubleValue"):
        low, high = kind.split()[1].split(":")
        if float(low) < -1e300:
            return "a number" if float(high) > 1e300 else f"up to {high}"
        if float(high) > 1e300:
            return f"{low} and above"
        return f"above 0, to {high}" if 0 < float(low) < 1e-300 else f"{low} to {high}"
    return {
        "TypeIdValue": "a TypeId", "TimeValue": "a time", "DataRateValue": "a rate", "StringValue": "text",
        "Mac48AddressValue": "a MAC address", "Ipv4AddressValue": "an IPv4 address",
    }[value]


def escape(text):
    """Text in the notation of reStructuredText."""
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def table(name, widths, rows):
    """A table under a name."""
    lines = [
        "", f".. rubric:: {name}", "", ".. list-table::", "   :header-rows: 1",
        f"   :widths: {widths}", "",
    ]
    for row in rows:
        for index, cell in enumerate(row):
            lines.append(("   * - " if index == 0 else "     - ") + escape(cell))
    return "\n".join(lines) + "\n"


def columns_document(description):
    """The text of doc/columns.rst, from the description of columns."""
    text = HEAD
    files = {
        "flows": "flows.csv", "ports": "ports.csv", "summary": "summary.json",
        "cut-summary": "summary.json, in addition for a run without --measure that a signal or a deadlock "
                       "has cut",
        "nic-ports": "ports.csv, in addition with a host of several NICs",
        "pauseTree": "--instruments=pause-tree:FILE",
        "measured-flows": "flows.csv, in addition with --measure",
        "measured-summary": "summary.json, in addition with --measure",
        "reordered-flows": "flows.csv, in addition where paths reorder packets",
        "steps": "steps.csv, with --job or a collective as --workload",
        "path": "path.csv, with --criticalPath",
        "calls": "calls.csv, with --job or a collective as --workload",
        "stated-flows": "flows.csv, in addition where flows state a NIC or queue pairs",
        "waiting-flows": "flows.csv, in addition where flows wait for others",
    }
    for name, columns in json.loads(description).items():
        title = files.get(name, f"--instruments={name}:FILE")
        lines = [("Key" if name.endswith("summary") else "Column", "Type", "Unit", "Meaning")]
        lines += [
            (column["name"], column["type"], column["unit"] or "none", column["meaning"])
            for column in columns
        ]
        text += table(title, "20 10 10 60", lines)
    return text


def documents(introspected):
    """The texts of all files, by their paths, from the result of introspect()."""
    rows, columns = introspected
    attributes, traces = HEAD, HEAD
    for name in sorted({row[0] for row in rows}):
        own = [row[1:] for row in rows if row[0] == name]
        lines = [("Attribute", "Default", "Accepted", "Meaning")]
        for _, attribute, default, value, kind, text in (r for r in own if r[0] == "attribute"):
            default = "none" if "Pointer" in value else plain(default)
            lines.append((attribute, default, accepted(value, kind), text))
        if len(lines) > 1:
            attributes += table(name, "22 13 17 48", lines)
        lines = [("Trace source", "Signature", "When")]
        for _, source, callback, text in (r for r in own if r[0] == "trace"):
            lines.append((source, callback.replace("ns3::", ""), text))
        if len(lines) > 1:
            traces += table(name, "20 40 40", lines)
    return {
        "doc/attributes.rst": attributes, "doc/traces.rst": traces,
        "doc/columns.rst": columns_document(columns), "python/ns3_rdma/columns.json": columns,
    }


def main(arguments):
    """Writes or checks the files; returns the exit status."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    if "NS3_BUILD" not in os.environ:
        print("introspect.py: NS3_BUILD is not set; see introspect.py --help", file=sys.stderr)
        return 2
    try:
        texts = documents(introspect(os.environ["NS3_BUILD"].split(":")))
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"introspect.py: {error}", file=sys.stderr)
        return 2
    stale = []
    for name, text in texts.items():
        path = os.path.join(ROOT, name)
        if arguments:
            with open(path, encoding="ascii") as handle:
                stale += [name] if handle.read() != text else []
        else:
            with open(path, "w", encoding="ascii") as handle:
                handle.write(text)
    if stale:
        print(
            f"not up to date: {', '.join(stale)}; run: tools/with-ns3 exec "
            "doc/introspect.py", file=sys.stderr,
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
