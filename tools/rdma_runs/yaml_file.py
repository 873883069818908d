# SPDX-License-Identifier: GPL-2.0-only
"""YAML whose every value is text with a place: "off" stays off, and messages name file and line."""

import yaml

from .run import RunError


class Value:
    """A value of a YAML file: text, a list or a mapping, with its place in the file."""

    def __init__(self, path, field, node):
        self.path, self.field, self.node = path, field, node

    def wrong(self, accepted, what=None):
        """The error of this value."""
        place = f"{self.path}:{self.node.start_mark.line + 1}: "
        if what is None:
            kinds = {"mapping": "a mapping", "sequence": "a list", "scalar": None}
            what = kinds[self.node.id] or f'"{self.node.value}"'
        field = f"{self.field}: " if self.field else ""
        return RunError(f"{place}{field}{what}; accepted: {accepted}")

    def is_list(self):
        """Whether this is a list."""
        return self.node.id == "sequence"

    def is_mapping(self):
        """Whether this is a mapping."""
        return self.node.id == "mapping"

    def text(self, accepted="text"):
        """The text of a value that must be text."""
        if self.node.id != "scalar" or not self.node.value:
            raise self.wrong(accepted)
        return self.node.value

    def items(self, accepted="a list"):
        """The values of a list."""
        if not self.is_list() or not self.node.value:
            raise self.wrong(accepted)
        return [Value(self.path, f"{self.field}[{place}]", node)
                for place, node in enumerate(self.node.value, 1)]

    def mapping(self, known=None, accepted="a mapping: NAME: VALUE"):
        """The values of a mapping by name; with known, no other names are allowed."""
        if not self.is_mapping():
            raise self.wrong(accepted)
        result = {}
        for key, node in self.node.value:
            field = f"{self.field}.{key.value}" if self.field else key.value
            if known is not None and key.value not in known:
                raise Value(self.path, field, key).wrong(", ".join(known), "no such field")
            if key.value in result:
                raise Value(self.path, field, key).wrong("each name once", "a second one")
            result[key.value] = Value(self.path, field, node)
        return result

    def choice(self, known):
        """A text that must be one of the known ones."""
        accepted = ", ".join(known)
        if self.text(accepted) not in known:
            raise self.wrong(accepted)
        return self.node.value

    def whole(self, lowest, highest):
        """A whole number in a range."""
        accepted = f"a whole number from {lowest} to {highest}"
        text = self.text(accepted)
        if not text.isascii() or not text.isdigit() or not lowest <= int(text) <= highest:
            raise self.wrong(accepted)
        return int(text)


def read(path):
    """The value of a whole file."""
    try:
        with open(path, encoding="utf-8-sig") as handle:
            node = yaml.compose(handle, Loader=yaml.BaseLoader)
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RunError(f"{path}: not UTF-8 text") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise RunError(f"{path}:{mark.line + 1}: not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise RunError(f"{path}: not YAML: {error}") from None
    if node is None:
        raise RunError(f"{path}:1: the file is empty; accepted: a mapping: NAME: VALUE")
    return Value(path, "", node)
