# -*- Mode: python; py-indent-offset: 4; indent-tabs-mode: nil; coding: utf-8; -*-
# SPDX-License-Identifier: GPL-2.0-only
#
# The module for trees of ns-3 that are built with waf (up to 3.35).

import os


def configure(conf):
    # What the sources need; ns-3 of that time asks for less.
    conf.check_cxx(
        cxxflags=["-std=c++17"],
        fragment="#include <optional>\nint main() { return std::optional<int>(0).value(); }\n",
        msg="Checking for C++17 (rdma)",
    )


# A product and a sum are rounded separately on all processors.
CXXFLAGS = ["-std=c++17", "-ffp-contract=off"]


def build(bld):
    def find(*patterns):
        return sorted(node.path_from(bld.path) for node in bld.path.ant_glob(list(patterns)))

    def folders_of(paths):
        folders = sorted({os.path.dirname(path) for path in paths})
        return [bld.path.find_dir(folder).abspath() for folder in folders]

    headers = find("model/**/*.h", "helper/**/*.h")
    suites = find("test/**/*-test-suite.cc")
    includes = folders_of(headers)
    # GSL is optional: one source needs it, and another stands in for that one.
    gsl = bool(bld.env["ENABLE_GSL"])
    left_out = "helper/analysis/rdma-fluid-stepper.cc" if gsl else "helper/analysis/rdma-fluid-stepper-gsl.cc"
    # Ranks of MPI are for ns-3's CMake builds.
    sources = [
        name
        for name in find("model/**/*.cc", "helper/**/*.cc")
        if name != left_out and not name.endswith("-mpi.cc")
    ]

    module = bld.create_ns3_module("rdma", ["core", "network", "internet", "traffic-control", "applications"])
    module.source = sources
    module.includes = includes
    module.cxxflags = CXXFLAGS
    if gsl:
        module.use.extend(["GSL", "GSLCBLAS", "M"])

    module_test = bld.create_ns3_module_test_library("rdma")
    module_test.source = suites
    module_test.includes = includes + folders_of(find("test/**/*.h"))
    module_test.cxxflags = CXXFLAGS

    exposed = bld(features="ns3header")
    exposed.module = "rdma"
    exposed.source = [name for name in headers if "/private/" not in name]

    if bld.env["ENABLE_EXAMPLES"]:
        bld.recurse("examples")
