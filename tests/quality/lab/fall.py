# SPDX-License-Identifier: LGPL-2.1-or-later
"""A call of one video in the simulator whose screen keeps its size, with ratescale or without it."""
import csv

from callkit import units

from . import cells, engines, jobs


def run(cell, encoder, clip, folder, seed, seconds, scaled, size, controller="low-delay", **keys):
    """keys: of the video's, instead of the lab's"""
    book = cells.Book()
    book.add({"fall": cell})
    job = jobs.Job("sim", book.get("fall"), encoder, clip.path, controller, seed, float(seconds), size=size, playout=("none",))
    groups = jobs.groups(job, folder)
    width, height = units.size(size)
    flow = groups["flow 0"]
    flow |= {"min": "30k"} | keys
    flow["decode"] += f" ! videoconvert ! videoscale ! capsfilter caps=video/x-raw,width={width},height={height}"
    if scaled:
        flow["send"] = f"ratescale ! {flow['send']}"
    jobs.write(groups, folder / "job.ini")
    engines.simulate(jobs.read(folder / "job.ini"), folder / "job.ini", folder)
    return folder / "flow-0"


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))
