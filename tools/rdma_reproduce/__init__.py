# SPDX-License-Identifier: GPL-2.0-only
"""The numbers of published papers beside the module's: doc/validation and its data, by one command.

rows/ has the rows, a file for each group; a file that is put there is found by itself.
"""
