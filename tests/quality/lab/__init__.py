# SPDX-License-Identifier: LGPL-2.1-or-later
"""The quality lab behind `tests/quality/run`: matrices, cells, jobs on two engines, measures, gates, report."""
import pathlib
import sys

QUALITY = pathlib.Path(__file__).resolve().parents[1]
TOP = QUALITY.parents[1]
if str(TOP / "pipelines") not in sys.path:
    sys.path.insert(0, str(TOP / "pipelines"))  # callkit
