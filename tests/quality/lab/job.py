# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs one job: `python3 -m lab.job FOLDER/job.ini`. Leaves result.json in FOLDER, or failed.json; needs nothing else,
so that any scheduler can run jobs. One that has its result is not run again."""
import hashlib
import json
import os
import pathlib
import resource
import shutil
import signal
import sys
import time
import traceback

from callkit import clips, codecs, units

from . import alone, engines, jobs, measure

BULK = ("received.mkv", "shown.mkv", "packets.csv", "queue.csv", "picture-*.i420", "sent.csv", "captured.csv", "rates.csv",
        "received.csv", "call.png", "report.html", "*.log")


def write_json(path, value):
    """At once or not at all."""
    part = pathlib.Path(f"{path}.{os.getpid()}.part")
    part.write_text(json.dumps(value, indent=1, default=float))
    part.rename(path)


def _once(ini, path, folder):
    """Engine and measures of one run."""
    begun = time.monotonic()
    engine = engines.run(ini, path, folder)
    ran = time.monotonic()
    result = measure.measure(ini, folder)
    return result | {"engine": engine, "engine_s": ran - begun, "measure_s": time.monotonic() - ran}


def _fixed_best(ini, folder):
    """Every rate of the grid in a folder of its own; the result is the best one's by PSNR."""
    results = {}
    for rate in ini["lab"]["grid"].split(","):
        inside = folder / f"try-{rate}"
        copy = {group: dict(ini[group]) for group in ini.sections()}
        copy["job"]["out"] = str(inside)
        for group, keys in copy.items():
            if group.startswith("flow ") and keys.get("controller") == "fixed-best":
                keys["controller"] = f"fixed:{rate}"
                if keys["kind"] == "recorded":
                    continue
                keys["send"] = jobs.send_text(ini["lab"]["encoder"], keys["controller"],
                                              codecs.encoder_rate(float(rate), int(keys["fps"])))
        jobs.write(copy, inside / "job.ini")
        results[rate] = _once(jobs.read(inside / "job.ini"), inside / "job.ini", inside)
    best = max(results, key=lambda rate: results[rate]["row"]["psnr"] or 0)
    for rate in results:
        if rate != best:
            shutil.rmtree(folder / f"try-{rate}")
    for worst in (folder / f"try-{best}").glob("worst-*.jpg"):
        shutil.copy(worst, folder)
    return results[best] | {"chose": f"fixed:{best}", "tried": {r: results[r]["row"]["psnr"] for r in results},
                            "engine_s": sum(r["engine_s"] for r in results.values())}


def _against_codec(ini, result):
    """For the gate: the codec's own PSNR of the very frames that the flow scored."""
    _, flow = engines.flows_of(ini)[0]
    clip = clips.Clip(flow["clip"], int(flow["width"]), int(flow["height"]), "clip")
    frames = result["flows"][0]["frames"]
    own = alone.scores(ini["lab"]["encoder"], flow["send"], units.rate(flow["controller"].partition(":")[2]), clip,
                       int(flow["fps"]), frames + int(flow["fps"]))
    return {"own": sum(own[:frames]) / max(frames, 1), "got": result["row"]["psnr"], "frames": frames}


def _fingerprint(folder):
    """A hash of every file an engine left, by its path."""
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(folder.rglob("*")) if p.suffix in (".csv", ".mkv") or p.name == "links.json"}


def _repeat(ini, path, folder):
    """For the gate: the same job once more; which files differ."""
    inside = folder / "again"
    copy = {group: dict(ini[group]) for group in ini.sections()}
    copy["job"]["out"] = str(inside)
    jobs.write(copy, inside / "job.ini")
    engines.run(jobs.read(inside / "job.ini"), inside / "job.ini", inside)
    again = _fingerprint(inside)
    first = {name: value for name, value in _fingerprint(folder).items() if not name.startswith("again/")}
    differ = [name for name in sorted(set(first) | set(again)) if first.get(name) != again.get(name)]
    return {"files": len(first), "differ": differ}


def tidy(folder, keep):
    if keep == "all":
        return
    for pattern in BULK:
        for path in folder.rglob(pattern):
            path.unlink()


def run(path):
    path = pathlib.Path(path).resolve()
    folder, ini = path.parent, jobs.read(path)
    (folder / "failed.json").unlink(missing_ok=True)
    begun = time.monotonic()
    purpose = ini["lab"].get("purpose")
    result = _fixed_best(ini, folder) if ini["lab"]["controller"] == "fixed-best" else _once(ini, path, folder)
    if purpose == "codec":
        result["codec"] = _against_codec(ini, result)
    elif purpose == "repeat":
        result["repeat"] = _repeat(ini, path, folder)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN), resource.getrusage(resource.RUSAGE_SELF)
    result["wall"] = time.monotonic() - begun
    result["cpu"] = sum(u.ru_utime + u.ru_stime for u in usage)
    result["memory_mb"] = max(usage[0].ru_maxrss, usage[1].ru_maxrss) / 1024
    result["lab"] = dict(ini["lab"]) | {"seed": int(ini["job"]["seed"]), "duration": float(ini["job"]["duration"])}
    tidy(folder, ini["lab"].get("keep", "all"))
    write_json(folder / "result.json", result)


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    path = pathlib.Path(sys.argv[1])
    if (path.parent / "result.json").exists():
        return 0
    try:
        run(path)
    except engines.Unsupported as why:
        write_json(path.parent / "failed.json", {"why": str(why), "unsupported": True})
        print(why, file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        write_json(path.parent / "failed.json", {"why": f"{type(error).__name__}: {error}", "unsupported": False})
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
