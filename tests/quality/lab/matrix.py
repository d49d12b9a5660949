# SPDX-License-Identifier: LGPL-2.1-or-later
"""Matrices: which jobs a run consists of. docs/quality-lab.md describes the file."""
import dataclasses
import pathlib
import re
import tomllib

from callkit import codecs

from . import cells, controllers, engines, forms, gates, jobs, playout, recorded

DEFAULTS = {"engines": ["sim"], "controllers": list(controllers.OURS), "encoders": ["x264enc"], "clips": [""],
            "cells": [], "seeds": 1, "duration": None, "fps": 30, "size": "352x288", "playout": list(jobs.PLAYOUT),
            "vmaf": False}
TOP_KEYS = set(DEFAULTS) | {"title", "text", "include", "sweep", "also", "cell", "encoder", "gates", "agree", "windows",
                            "tolerance", "keep", "again"}
KEEP = ("first", "all", "none")
GATE_CLIP = ""
GATE_SEED = 1


def _longest(found):
    """Of jobs of one name, as several matrices may have them, the longest."""
    by_name = {}
    for job in found:
        if job.name not in by_name or job.duration > by_name[job.name].duration:
            by_name[job.name] = job
    return list(by_name.values())


def _read(path):
    """The file's table, each key of it one that there is, and what that takes."""
    try:
        table = tomllib.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    unknown = set(table) - TOP_KEYS
    if unknown:
        raise ValueError(f"{path}: no such key: {', '.join(sorted(unknown))}")
    forms.check(table, path)
    forms.check_encoders(table.get("encoder", {}), codecs.CODECS, path)
    for block in table.get("also", []):
        unknown = set(block) - set(DEFAULTS) - {"sweep"}
        if unknown:
            raise ValueError(f"{path}: no such key in [[also]]: {', '.join(sorted(unknown))}")
        forms.check(block, f"{path}: [[also]]")
    return table


class Matrix:
    """overrides: keys that stand above the file's own, as those of a matrix that includes it."""

    def __init__(self, path, overrides=None):
        self.path = pathlib.Path(path)
        self.name = self.path.stem
        table = _read(self.path)
        self.overrides = overrides or {}
        self.kept = table.get("keep", "first")
        if self.kept not in KEEP:
            raise ValueError(f"{path}: keep is one of {', '.join(KEEP)}")
        self.title, self.text = table.get("title", self.name), table.get("text", "")
        self.encoders = table.get("encoder", {})
        self.gates = table.get("gates", True)
        self.agree = table.get("agree", {})
        self.windows = table.get("windows", False)  # of traces: a line each is printed
        self.again = int(table.get("again", 0))  # further calls of a real cell whose gate fails
        self.absent = []  # cells whose recordings this machine has not
        self.tolerance = table.get("tolerance", gates.ORACLE)
        self.book = cells.Book()
        self.book.add(table.get("cell", {}))
        own = {k: v for k, v in table.items() if k in DEFAULTS}
        self.jobs = self._only_once(self._block({**DEFAULTS, **own}, table.get("sweep", [])))
        for block in table.get("also", []):
            base = {**DEFAULTS, **own, "cells": DEFAULTS["cells"]}
            self.jobs = self._only_once(self.jobs + self._block({**base, **block}, block.get("sweep", [])))
        shared = {k: v for k, v in table.items() if k in ("vmaf", "clips", "playout", "seeds", "duration", "size")}
        for name in table.get("include", []):
            included = [job for job in Matrix(find(name), shared | self.overrides).jobs if not job.purpose]
            self.jobs = _longest(self.jobs + included)
        self.first_seed = min((job.seed for job in self.jobs), default=0)
        if self.gates:
            self.jobs = self._gate_jobs() + self.jobs

    def _only_once(self, found):
        """The jobs, each once; no two that differ under one name."""
        by_name = {}
        for job in found:
            if by_name.setdefault(job.name, job) != job:
                raise ValueError(f"{self.path}: two jobs that differ are both {job.name}: give their cells, or the "
                                 "clips' files, names of their own")
        return list(by_name.values())

    def _cells(self, block, sweeps):
        found = [self.book.get(name) for name in block["cells"]]
        for sweep in sweeps:
            if not {"base", "name"} <= set(sweep):
                raise ValueError(f"{self.path}: a sweep has a base and a name")
            keys = {k: v if isinstance(v, list) else [v] for k, v in sweep.items() if k not in ("base", "name")}
            bases = sweep["base"] if isinstance(sweep["base"], list) else [sweep["base"]]
            found += [cell for base in bases for cell in self.book.sweep(base, sweep["name"], keys)]
        self.absent += [cell.name for cell in found if any(recorded.absent(hop["trace"]) for hop in cell.hops)]
        return [cell for cell in found if cell.name not in self.absent]

    def _block(self, block, sweeps):
        block = block | self.overrides
        seeds = block["seeds"] if isinstance(block["seeds"], list) else range(1, int(block["seeds"]) + 1)
        return [self._job(block, engine, cell, encoder, clip, controllers.check(controller), seed)
                for engine in block["engines"] for cell in self._cells(block, sweeps) for encoder in block["encoders"]
                for clip in block["clips"] for controller in block["controllers"] for seed in seeds
                if not controllers.is_neighbour(controller) or cell.flows_of("tcp", "short-tcp")]

    def _job(self, block, engine, cell, encoder, clip, controller, seed):
        if encoder not in codecs.CODECS or engine not in engines.ENGINES:
            raise ValueError(f"no such encoder or engine: {encoder}, {engine}")
        for rule in block["playout"]:
            playout.shown(rule, [0], [0.0], [0], [0.0])  # says what is wrong with it
        duration = min(float(block["duration"] or cell.duration), cell.duration)
        return jobs.Job(engine, cell, encoder, clip, controller, seed, duration,
                        self.encoders.get(encoder, {}).get("fps", block["fps"]), block["size"], tuple(block["playout"]),
                        block["vmaf"])

    def _gate_jobs(self):
        """The gates' own: an undamaged run, stamped pictures over a lossy path, the same simulation twice."""
        pairs = list(dict.fromkeys((j.engine, j.encoder, j.clip, j.size, j.fps) for j in self.jobs
                                   if not controllers.is_neighbour(j.controller)))
        found = []
        for engine, encoder, clip, size, fps in pairs:
            gate = dict(clip=clip, seed=GATE_SEED, size=size, fps=fps, playout=("none",))
            if codecs.CODECS[encoder].unit:
                found.append(jobs.Job(engine, self.book.get("undamaged"), encoder, controller="fixed:800k", duration=8,
                                      purpose="codec", **gate))
            lossy = self.book.sweep("wide", "lossy", {"loss": ["2%"]})[0]
            found.append(jobs.Job(engine, lossy, encoder, controller="low-delay+norepair", duration=10, purpose="stamps",
                                  **gate))
        for engine, encoder, clip, size, fps in [p for p in pairs if p[0] == "sim"][:1]:
            found.append(jobs.Job(engine, self.book.get("steps"), encoder, controller="low-delay", duration=12,
                                  purpose="repeat", clip=clip, seed=GATE_SEED, size=size, fps=fps, playout=("none",)))
        return found

    def further(self, chosen):
        """The chosen jobs `again` times more, with seeds of their own."""
        last = max((job.seed for job in self.jobs), default=0)
        return self._only_once([dataclasses.replace(job, seed=last + n) for job in chosen
                                for n in range(1, self.again + 1)])

    def keep(self, job):
        """Which files a job leaves beside its result."""
        first = self.kept == "first" and job.seed == self.first_seed
        return "all" if job.purpose or self.kept == "all" or first else "result"


def find(name):
    """A matrix by path or by its name in tests/quality/matrices."""
    path = pathlib.Path(name)
    if path.suffix == ".toml" and path.exists():
        return path
    path = pathlib.Path(__file__).resolve().parents[1] / "matrices" / f"{re.sub(r'[.]toml$', '', name)}.toml"
    if not path.exists():
        raise ValueError(f"no matrix {name}; there are {', '.join(sorted(p.stem for p in path.parent.glob('*.toml')))}")
    return path
