# SPDX-License-Identifier: GPL-2.0-only
"""Many runs of the module's programs: performed side by side, kept as rows of a CSV file, averaged.

tools/sweep and tools/reproduce are built on this package.
"""
