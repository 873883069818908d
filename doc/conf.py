# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx configuration of the manual: "make -C doc html"."""

project = "ns-3 rdma module"
author = "the authors of the ns-3 rdma module"
copyright = author  # noqa: A001
extensions = []
# Parts of rdma.rst.
exclude_patterns = ["build", "attributes.rst", "columns.rst", "traces.rst"]
highlight_language = "cpp"
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "240px"}
html_static_path = []
latex_elements = {"papersize": "a4paper"}
