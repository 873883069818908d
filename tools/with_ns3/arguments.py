# SPDX-License-Identifier: GPL-2.0-only
"""The parser of command lines that the scripts in python/ share with the tools."""

import os
import sys

from .places import ROOT

sys.path.append(os.path.join(ROOT, "python"))

from rdma_arguments import Arguments  # noqa: E402

__all__ = ["Arguments"]
