# SPDX-License-Identifier: LGPL-2.1-or-later
"""The two engines. Each is a command that takes a job's key file, leaves callkit's files in flow-N/ of the job's
folder, queue.csv and links.json beside them, and prints one line of JSON (the head of tests/sim/lab.cc describes all
that)."""
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

from callkit import controllers, paths
from webrtckit import browser

SIM_LAB = paths.BUILD / "tests/sim" / ("sim-lab-ablation" if "LAW_NUMBERS" in os.environ else "sim-lab")
MEASURES = ("engines", "job", "measure", "playout", "stamps", "viewer", "vmaf", "wire")
PATIENCE = 20  # s of the wall a simulated second may take before a job counts as hung
UNKNOWN = re.compile(r"no (such )?controller[ :]+[\w+-]+")


class Unsupported(RuntimeError):
    """This machine cannot run this job; the text says why."""


def flows_of(ini):
    """[(number, keys)]"""
    return [(int(g.split()[1]), dict(ini[g])) for g in ini.sections() if g.startswith("flow ")]


def hops_of(ini):
    return [dict(ini[g]) for g in sorted((g for g in ini.sections() if g.startswith("hop ")), key=lambda g: int(g[4:]))]


def reverse_hops(ini):
    """{hop: keys} of the ways back that are limited."""
    return {int(g.partition(" ")[2] or 0): dict(ini[g]) for g in ini.sections() if g.partition(" ")[0] == "reverse"}


def _end_of(controller):
    """callkit's, where it needs an element of others; without what only one engine does with it."""
    base = controller.partition("+")[0]
    end = controllers.make(base) if base in controllers.KINDS else None
    return end if hasattr(end, "element") else None


def _require_rivals(ini):
    for _, flow in flows_of(ini):
        controller = flow.get("controller", "")
        end = _end_of(controller)
        if end and not paths.has_element(end.element):
            raise Unsupported(end.missing())
        if controller.startswith("chromium") and browser.missing():
            raise Unsupported(browser.missing())


def _run(name, command, ini, folder, limit):
    """Runs an engine; its own account."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=paths.environment()) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except BaseException:
            process.terminate()  # it ends its own processes
            raise
    (folder / f"{name}.log").write_text(errors)
    if UNKNOWN.search(errors):
        raise Unsupported(f"{name} has {UNKNOWN.search(errors)[0]}")
    if process.returncode != 0:
        raise RuntimeError(f"{name}: {errors.strip()[-500:] or f'exit status {process.returncode}'}")
    return json.loads(output.strip().splitlines()[-1])


def simulate(ini, path, folder):
    if not SIM_LAB.exists():
        cure = "ninja -C build tests/sim/sim-lab-ablation" if "LAW_NUMBERS" in os.environ else \
            "pipelines/setup builds it where libns3-dev is installed"
        raise Unsupported(f"{SIM_LAB} is not there: {cure}")
    return _run("sim-lab", [str(SIM_LAB), str(path)], ini, folder, 60 + PATIENCE * float(ini["job"]["duration"]))


def call(ini, path, folder):
    """Real elements across the emulated network, in real time."""
    return _run("call", [sys.executable, "-m", "callkit.job", str(path)], ini, folder,
                120 + float(ini["job"]["duration"]))


@functools.cache
def fingerprint(engine):
    """Of what makes an engine's results: its programs and plug-ins, the call's and the measures' Python."""
    here, call_kit = pathlib.Path(__file__).parent, paths.TOP / "pipelines/callkit"
    web = paths.TOP / "pipelines/webrtckit"
    programs = [SIM_LAB] if engine == "sim" else [paths.BOTTLENECK, *call_kit.glob("*.py"), *web.glob("*.py"),
                                                  web / "page.js", web / "sender.html", web / "receiver.html"]
    plugins = [p for folder in [*paths.PLUGINS, paths.RIVALS] for p in folder.glob("*.so")]
    measures = [here / f"{name}.py" for name in MEASURES]
    measures += [call_kit / f"{name}.py" for name in ("measures", "quality", "network")]
    digest = hashlib.sha1(os.environ.get("LAW_NUMBERS", "").encode())
    for path in sorted(p for p in [*programs, *plugins, *measures] if p.exists()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


ENGINES = {"sim": simulate, "real": call}


def run(ini, path, folder):
    _require_rivals(ini)
    return ENGINES[ini["lab"]["engine"]](ini, path, folder)
