# -*- Mode: python; py-indent-offset: 4; indent-tabs-mode: nil; coding: utf-8; -*-
# SPDX-License-Identifier: GPL-2.0-only
#
# The module for trees of ns-3 that are built with waf (up to 3.35). The lists of files are those of
# CMakeLists.txt, so that a new file needs a line in one place only.

import re


def configure(conf):
    # What the sources need; ns-3 of that time asks for less.
    conf.check_cxx(
        cxxflags=["-std=c++17"],
        fragment="#include <optional>\nint main() { return std::optional<int>(0).value(); }\n",
        msg="Checking for C++17 (rdma)",
    )


def listed(bld, name):
    """The files in set(NAME ...) of CMakeLists.txt."""
    text = bld.path.find_node("CMakeLists.txt").read()
    match = re.search(r"^set\(%s\b([^)]*)\)" % name, text, re.M)
    return [] if match is None else re.sub(r"#.*", "", match.group(1)).split()


def build(bld):
    folders = ["model/core", "model/frame", "model/link", "model/switch", "model/transport", "model/congestion", "helper"]
    includes = [bld.path.find_dir(folder).abspath() for folder in folders if bld.path.find_dir(folder)]

    module = bld.create_ns3_module("rdma", ["core", "network", "internet", "applications"])
    module.source = listed(bld, "rdma_sources")
    module.includes = includes
    module.cxxflags = ["-std=c++17"]
    if bld.env["ENABLE_GSL"]:
        module.source += listed(bld, "rdma_gsl_sources")
        module.use.extend(["GSL", "GSLCBLAS", "M"])
    else:
        module.source += listed(bld, "rdma_no_gsl_sources")

    module_test = bld.create_ns3_module_test_library("rdma")
    module_test.source = listed(bld, "rdma_test_sources")
    module_test.includes = includes
    module_test.cxxflags = ["-std=c++17"]

    headers = bld(features="ns3header")
    headers.module = "rdma"
    headers.source = listed(bld, "rdma_headers") + listed(bld, "rdma_private_headers")

    if bld.env["ENABLE_EXAMPLES"]:
        bld.recurse("examples")
