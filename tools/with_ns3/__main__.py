# SPDX-License-Identifier: GPL-2.0-only
"""Runs the program from its folder: python3 tools/with_ns3."""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from with_ns3.cli import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
