# SPDX-License-Identifier: GPL-2.0-only
"""Compares the numbers of published papers with the module's: doc/validation and its data.

rows/ has the rows, a file for each group; a file that is put there is found by itself.
"""
