# SPDX-License-Identifier: GPL-2.0-only
"""The parts of tools/with-ns3."""
