# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where things are, and the environment in which GStreamer finds the plug-ins as built."""
import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD_DIR", TOP / "build")).resolve()
# Where gst-congestion-call's programs are installed; the plug-ins are then among the system's. None: as built.
INSTALLED = os.environ.get("GST_CONGESTION_LIBEXEC")
BOTTLENECK = pathlib.Path(INSTALLED) / "bottleneck" if INSTALLED else BUILD / "tests/sim/bottleneck"
PLUGINS = [] if INSTALLED else [BUILD / "gst" / name for name in ("tfrc", "rtcpavpf", "ratecontrol", "newpred", "jpegstrips", "paqm")]
RIVALS = TOP / "out/rivals/plugins"  # tests/quality/rivals/build fills it
PROGRAM = "gst-congestion-call" if INSTALLED else "pipelines/call"
OUT = pathlib.Path.cwd() / "congestion-call" if INSTALLED else TOP / "out/call"
COMPARED = OUT.with_name(OUT.name.replace("call", "compare"))
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "congestion-call"


def clip_folders():
    named = os.environ.get("QUALITY_CLIPS")
    return [pathlib.Path(p) for p in ([named] if named else []) + [TOP.parent / "shared/clips"]]


def environment():
    env = dict(os.environ, PYTHONPATH=str(pathlib.Path(__file__).resolve().parents[1]), PYTHONDONTWRITEBYTECODE="1")
    if INSTALLED:
        return env
    plugins = [str(p) for p in [*PLUGINS, RIVALS]]
    if env.get("GST_PLUGIN_PATH_1_0"):
        plugins.append(env["GST_PLUGIN_PATH_1_0"])
    env["GST_PLUGIN_PATH_1_0"] = ":".join(plugins)
    env.setdefault("GST_REGISTRY_1_0", str(BUILD / "call-registry.bin"))
    return env


def make_out(folder):
    """A folder for results."""
    try:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RuntimeError(f"no results can be written to {folder} ({error.strerror}): --out names another folder") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise RuntimeError(f"no results can be written to {folder} (it may not be written): --out names another folder")


def make_cache(folder=CACHE):
    """For what is made once: decoded clips."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RuntimeError(f"clips are decoded into {folder}, which cannot be made ({error.strerror}): XDG_CACHE_HOME names "
                           "another place") from None


def has_element(name):
    """Whether the processes will find it. (--exists says no where a plug-in's version is below 1.0: libnice's, Rust's.)"""
    return subprocess.run(["gst-inspect-1.0", name], env=environment(), check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def require_build(programs=(BOTTLENECK,)):
    """Sets up what is missing, so that every program here can be somebody's first."""
    if not all(path.exists() for path in [*programs, *PLUGINS]):
        subprocess.run([str(TOP / "pipelines/setup")], env=dict(os.environ, BUILD_DIR=str(BUILD)), check=True)


def pass_priority(pid):
    """Linux groups processes by session for scheduling, and a group's share does not follow its members' nice value: give
    the process's group our own."""
    try:
        with open(f"/proc/{pid}/autogroup", "w") as file:
            file.write(str(os.getpriority(os.PRIO_PROCESS, 0)))
    except OSError:
        pass  # no groups, or not ours to raise
