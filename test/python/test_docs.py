# SPDX-License-Identifier: GPL-2.0-only
"""Tests that the documentation agrees with the module.

Tests that need the module's programs or libraries are skipped unless tools/with-ns3 names them.
"""

import dataclasses
import glob
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "doc"), os.path.join(ROOT, "python")]

import console  # noqa: E402
import introspect  # noqa: E402
from ns3_rdma import results  # noqa: E402

BUILD = os.environ.get("NS3_BUILD")
DOXYGEN = (
    subprocess.run(["doxygen", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if shutil.which("doxygen") else ""
).strip()
# Releases whose every complaint counts: those of Debian 12 and 13. Of other releases these count,
# which mean in all releases that a comment is missing or broken.
KNOWN_DOXYGEN = ("1.9.4", "1.9.8")
COMPLAINTS = re.compile(r"(?:is|are) not documented|while still inside a \(nested\) comment")
FILTER = importlib.util.spec_from_file_location(
    "doxygen_filter", os.path.join(ROOT, "doc", "doxygen-filter.py")
)
doxygen_filter = importlib.util.module_from_spec(FILTER)
FILTER.loader.exec_module(doxygen_filter)
needs_build = unittest.skipUnless(BUILD, "NS3_BUILD is not set")


def text_of(*path):
    """The text of a file of the repository."""
    with open(os.path.join(ROOT, *path), encoding="utf-8") as handle:
        return handle.read()


def pages():
    """Names and texts of the pages that people read."""
    return {os.path.relpath(path, ROOT): text_of(path) for path in console.files()}


class Texts(unittest.TestCase):
    """Comparisons that run no program."""

    def test_program_in_readme_is_the_example(self):
        code = re.search(r"^```cpp\n(.*?)^```$", text_of("README.md"), re.M | re.S)[1]
        _, _, example = text_of("examples", "rdma-first.cc").partition("\n\n")
        self.assertEqual(code, example)

    def test_columns_in_the_manual_are_those_that_python_reads(self):
        description = text_of("python", "ns3_rdma", "columns.json")
        self.assertEqual(introspect.columns_document(description), text_of("doc", "columns.rst"))
        for names, kind in (
            (("flows", "measured-flows"), results.Flow), (("ports",), results.Port),
            (("monitor",), results.Reading), (("timeseries",), results.Sample),
        ):
            self.assertEqual(
                [column["name"] for name in names for column in json.loads(description)[name]],
                [field.name for field in dataclasses.fields(kind)],
            )

    def test_files_that_are_named_exist(self):
        pattern = re.compile(
            r"(?<![\w/])((?:bench|doc|examples|helper|model|python|test|tools)/[\w*./-]*\w)"
        )
        for page, text in pages().items():
            for name in set(pattern.findall(text)):
                self.assertTrue(glob.glob(os.path.join(ROOT, name)), f"{page} names {name}")

    def test_all_examples_are_listed(self):
        listed = re.findall(r"NAME ([\w-]+)", text_of("examples", "CMakeLists.txt"))
        scripts = glob.glob(os.path.join(ROOT, "examples", "*.py"))
        section = text_of("doc", "rdma.rst").split("Examples and Tests\n", 1)[1]
        section = section.split("\nTroubleshooting\n", 1)[0]
        names = [f"{name}.cc" for name in listed] + [os.path.basename(path) for path in scripts]
        for name in names:
            self.assertIn(name, section)

    def test_suites_that_are_named_exist(self):
        suites = set()
        for path in glob.glob(os.path.join(ROOT, "test", "suite", "*", "*.cc")):
            suites.update(re.findall(r'TestSuite\("([\w-]+)"', text_of(path)))
        section = text_of("doc", "rdma.rst").split("\nValidation\n---", 1)[1]
        named = set(re.findall(r"^``(rdma-[\w-]+)`` ", section, re.M))
        self.assertTrue(named)
        self.assertLessEqual(named, suites)

    def test_drop_reasons_are_all_reasons(self):
        source = text_of("model", "link", "qbb-port-counters.cc")
        reasons = set(re.findall(r'return "([\w ]+)";', source)) - {"unknown"}
        section = text_of("doc", "rdma.rst").split("Why did it drop although", 1)[1]
        section = section.split("\nWhy did flows not finish", 1)[0]
        terms = re.findall(r"^(\w[^\n]*)\n  ", section, re.M)
        self.assertEqual({word.strip() for term in terms for word in term.split(",")}, reasons)

    def test_ascii(self):
        for page, text in pages().items():
            self.assertTrue(text.isascii(), page)


class Console(unittest.TestCase):
    """The parts of doc/console.py."""

    def test_commands_and_their_output(self):
        self.assertEqual(
            console.commands(["$ a \\", "   b", "x", "$ for", "> do", "> done", "y", "> z"]),
            [(["$ a \\", "   b"], ["x"]), (["$ for", "> do", "> done"], ["y", "> z"])],
        )

    def test_dots_stand_for_any_lines(self):
        self.assertTrue(console.same(["a", "...", "d"], ["a", "b", "c", "d"]))
        self.assertTrue(console.same(["a", "..."], ["a"]))
        self.assertFalse(console.same(["a", "..."], ["b", "a"]))
        self.assertFalse(console.same(["a.c"], ["abc"]))

    def test_update_keeps_dots(self):
        self.assertEqual(
            console.updated(["a", "...", "d"], ["A", "b", "c", "D"]), ["A", "...", "D"]
        )
        self.assertEqual(console.updated(["a"], ["b", "c"]), ["b", "c"])

    @unittest.skipUnless(console.program("rdma-fabric"), "rdma-fabric is not on the PATH")
    def test_commands_print_what_the_pages_say(self):
        for path in console.files():
            differences, text = console.check(path)
            self.assertEqual(differences, [], "tools/with-ns3 exec doc/console.py --update")
            self.assertEqual(text, text_of(path))


class Filter(unittest.TestCase):
    """What Doxygen reads of a header."""

    def check(self, text, expected):
        """Compares without regard to spaces at the ends of lines."""
        found = doxygen_filter.filtered(text)
        self.assertEqual(found.count("\n"), text.count("\n"), "lines keep their numbers")
        self.assertEqual([line.rstrip() for line in found.splitlines()], expected.splitlines())

    def test_override_with_a_description_stays_whole(self):
        text = (
            "class A\n{\n    /**\n     * \\param x is; null: none\n     */\n"
            "    void F(int x) override;\n};\n"
        )
        self.check(text, text)

    def test_override_without_a_description_is_left_out(self):
        self.check(
            "class A\n{\n  public:\n    // not for Doxygen; see F\n"
            "    void F(int x)\n        const override;\n    int m; //!< a number; 0: none\n"
            "    void G() override\n    {\n        F(1);\n    }\n};\n",
            "class A\n{\n  public:\n    // not for Doxygen; see F\n\n\n"
            "    int m; //!< a number; 0: none\n\n\n\n\n};\n",
        )

    def test_access_stays(self):
        self.check(
            "class A\n{\n  protected:\n    void F() override;\n\n"
            "  private:\n    void G() override;\n    void H();\n};\n",
            "class A\n{\n  protected:\n\n\n  private:\n\n    void H();\n};\n",
        )

    def test_unused_parameters_have_names(self):
        self.check(
            "virtual void F(int /*x*/, A& /*y*/ = B());\n", "virtual void F(int x, A& y = B());\n"
        )

    def test_options_are_described_by_their_help(self):
        self.check(
            '    double x{\n        Define(&x, "x", "size of x")};\n',
            '    /** size of x */ double x{\n        Define(&x, "x", "size of x")};\n',
        )


class Programs(unittest.TestCase):
    """What has to be compiled."""

    @needs_build
    def test_pieces_of_code_run(self):
        folders = BUILD.split(":")
        names = ("rdma", "internet", "network", "core")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "snippets")
            command = [
                *shlex.split(os.environ.get("CXX", "c++")), introspect.standard(), "-o", program,
                os.path.join(ROOT, "doc", "snippets.cc"),
                *(f"-I{each}/include" for each in folders),
                "-Wl,--no-as-needed", *(introspect.library(folders, name) for name in names),
                *(f"-Wl,-rpath,{each}/lib" for each in folders),
                *(f"-Wl,-rpath-link,{each}/lib" for each in folders),
            ]
            subprocess.run(command, check=True)
            done = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True)
        self.assertIn("received 100000 bytes: IBV_WC_SUCCESS", done.stdout)
        self.assertIn("link down", done.stdout)
        # Rank 1 begins at 30 000 + 2000 + 19 999 + 30 000 ns, sends 8 chunks of 159 999 ns; 2000 ns later.
        self.assertIn("end of the step: 1363991 ns", done.stdout)
        self.assertEqual(len(re.findall(r"^flow \d+: \d+ ns$", done.stdout, re.M)), 8)

    @needs_build
    @unittest.skipUnless(
        os.environ.get("NS3_VERSION", "3.37") == "3.37", "the tables are as ns-3 3.37 prints values"
    )
    def test_tables_of_attributes_traces_and_columns(self):
        for name, text in introspect.documents(introspect.introspect(BUILD.split(":"))).items():
            self.assertEqual(text, text_of(name), "tools/with-ns3 exec doc/introspect.py")

    @unittest.skipUnless(DOXYGEN, "doxygen is not installed")
    def test_everything_public_is_documented(self):
        with tempfile.TemporaryDirectory() as folder:
            settings = text_of("doc", "doxygen.conf") + f"\nOUTPUT_DIRECTORY = {folder}\n"
            done = subprocess.run(
                ["doxygen", "-"], cwd=ROOT, input=settings, check=False, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
            made = os.listdir(folder)
        self.assertEqual(made, ["doxygen"], done.stdout)
        if DOXYGEN.split()[0] in KNOWN_DOXYGEN:
            self.assertEqual((done.returncode, done.stdout), (0, ""))
        else:
            self.assertEqual(
                [line for line in done.stdout.splitlines() if COMPLAINTS.search(line)], []
            )

    @unittest.skipUnless(importlib.util.find_spec("sphinx"), "sphinx is not installed")
    def test_manual_builds_without_warnings(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "sphinx", "-q", "-W", "-n", "-b", "html"]
            done = subprocess.run(
                [*command, os.path.join(ROOT, "doc"), folder], check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
