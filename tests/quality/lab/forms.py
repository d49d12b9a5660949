# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each key of a matrix takes, in words for people, and whether a value is that."""
from callkit import units

from . import gates


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _all(kind, value):
    return isinstance(value, list) and all(kind(item) for item in value)


def _is_text(value):
    return isinstance(value, str)


def _is_size(value):
    try:
        units.size(value)
    except ValueError:
        return False
    return True


TEXT = ("a text in quotation marks", _is_text)
TEXTS = ("a list of texts: [\"...\"]", lambda v: _all(_is_text, v))
SOME = ("a list of one text or more: [\"...\"]", lambda v: _all(_is_text, v) and v)
YES = ("true or false", lambda v: isinstance(v, bool))
COUNT = ("a whole number, 1 or more", _is_count)
TABLES = ("tables in double brackets", lambda v: _all(lambda item: isinstance(item, dict), v))
NAMED = ("tables of their own, as [cell.NAME]", lambda v: isinstance(v, dict) and all(isinstance(i, dict) for i in v.values()))
FORMS = {
    "title": TEXT, "text": TEXT, "keep": TEXT, "engines": SOME, "controllers": SOME, "encoders": SOME, "clips": SOME, "playout": SOME,
    "cells": TEXTS, "include": TEXTS, "vmaf": YES, "gates": YES, "windows": YES, "fps": COUNT, "sweep": TABLES, "also": TABLES,
    "cell": NAMED, "encoder": NAMED,
    "seeds": ("a whole number, 1 or more, or a list of such", lambda v: _is_count(v) or _all(_is_count, v) and v),
    "duration": ("a number of seconds above 0", lambda v: _is_number(v) and v > 0),
    "size": ("\"WIDTHxHEIGHT\", a width divisible by 8 and an even height", lambda v: _is_text(v) and _is_size(v)),
    "tolerance": ("a number of dB", lambda v: _is_number(v) and v >= 0),
    "again": ("a whole number, 0 or more", lambda v: v == 0 and not isinstance(v, bool) or _is_count(v)),
    "agree": (f"a table of numbers: {', '.join(gates.AGREE)}", lambda v: isinstance(v, dict) and all(
        k in gates.AGREE and _is_number(n) for k, n in v.items())),
}


def check(table, where):
    """Raises ValueError, with what helps, where a value is not what its key takes."""
    for key, value in table.items():
        if key in FORMS and not FORMS[key][1](value):
            raise ValueError(f"{where}: {key} is {FORMS[key][0]}, not {value!r}")


def check_encoders(table, names, where):
    """Of [encoder.NAME]."""
    for name, keys in table.items():
        if name not in names or set(keys) - {"fps"}:
            raise ValueError(f"{where}: [encoder.{name}] has fps alone, and the encoders are {', '.join(sorted(names))}")
        check(keys, f"{where}: [encoder.{name}]")
