# SPDX-License-Identifier: LGPL-2.1-or-later
"""All results of a run as tables: a row a job, a row a video flow; medians over the seeds with their intervals."""
import csv
import json
import pathlib

from . import statistics

KEYS = ("engine", "cell", "encoder", "clip", "controller", "seed")


def results(prepared):
    """([result], [(job, why it has none, is it beyond this machine)])"""
    found, missing = [], []
    for job, path in prepared:
        file = path.parent / "result.json"
        if file.exists():
            found.append(json.loads(file.read_text()) | {"folder": str(path.parent), "job": job})
            continue
        failed = path.parent / "failed.json"
        failed = json.loads(failed.read_text()) if failed.exists() else {"why": "not run", "unsupported": False}
        missing.append((job, failed["why"], failed["unsupported"]))
    return found, missing


def params(result):
    """What a sweep set: {key: text}"""
    return dict(item.split("=", 1) for item in result["lab"].get("params", "").split() if "=" in item)


def row(result):
    lab = result["lab"]
    return ({k: lab[k] for k in KEYS} | {f"set {k}": v for k, v in params(result).items()}
            | {"duration": lab["duration"]} | result["row"] | {"chose": result.get("chose"), "harm": result.get("harm"),
                               "harm_queue": result.get("harm_queue"), "wall": result["wall"],
                               "cpu_sender": _cpu(result, "sender"), "cpu_receiver": _cpu(result, "receiver")})


def _cpu(result, end):
    """Share of one processor a flow's sender or receiver took, the mean over the flows; real calls only."""
    flows = result["engine"].get("cpu")
    used = [flow.get(end) for flow in flows.values()] if isinstance(flows, dict) else []
    used = [share for share in used if share is not None]
    return sum(used) / len(used) if used else None


def flow_rows(result):
    keys = {k: result["lab"][k] for k in KEYS}
    for number, flow in result["flows"].items():
        plain = {k: v for k, v in flow.items() if not isinstance(v, (dict, list))}
        yield keys | {"flow": number} | plain | {"psnr": (flow["playout"].get("none") or {}).get("psnr")}


def add_harm(found):
    """What a TCP flow loses beside the video, as a share: of its rate when alone, and of the p95 of its queueing delay
    now (Ware et al. 2019); needs the runs of the controller `alone`."""
    alone = {}
    for r in found:
        if r["lab"]["controller"] == "alone":
            alone[_place(r)] = r["row"]
    for r in found:
        solo = alone.get(_place(r), {})
        if r["lab"]["controller"] == "alone":
            continue
        rate, queue = r["row"].get("tcp_rate"), r["row"].get("tcp_queue_p95")
        if rate is not None and solo.get("tcp_rate"):
            r["harm"] = max(0.0, 1 - rate / solo["tcp_rate"])
        if queue and solo.get("tcp_queue_p95") is not None:
            r["harm_queue"] = max(0.0, 1 - solo["tcp_queue_p95"] / queue)


def _place(result):
    lab = result["lab"]
    return lab["engine"], lab["cell"], lab["seed"]


def write_csv(rows, path):
    names = list(dict.fromkeys(name for each in rows for name in each))
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for each in rows:
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in each.items()})


def write_parquet(rows, path):
    """False where pyarrow is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return False
    names = list(dict.fromkeys(name for each in rows for name in each))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{n: each.get(n) for n in names} for each in rows]), path)
    return True


def measured(found):
    """The results that are measurements, not a gate's own."""
    return [r for r in found if not r["lab"].get("purpose")]


class Table:
    """Medians over seeds: by (engine, cell, encoder, clip) and controller."""

    def __init__(self, found):
        self.by_place = {}
        for r in measured(found):
            lab = r["lab"]
            place = (lab["engine"], lab["cell"], lab["encoder"], lab["clip"])
            self.by_place.setdefault(place, {}).setdefault(lab["controller"], {})[lab["seed"]] = r

    def values(self, place, controller, key):
        """{seed: value}"""
        return {seed: row(r).get(key) for seed, r in self.by_place[place].get(controller, {}).items()}

    def median(self, place, controller, key):
        return statistics.median(list(self.values(place, controller, key).values()))

    def difference(self, place, ours, theirs, key):
        return statistics.paired(self.values(place, ours, key), self.values(place, theirs, key))

    def controllers(self, place):
        return list(self.by_place[place])


def write_all(found, out):
    """The tables' paths."""
    rows = [row(r) for r in found if not r["lab"].get("purpose")]
    flows = [f for r in measured(found) for f in flow_rows(r)]
    out = pathlib.Path(out)
    paths = [out / "results.csv", out / "flows.csv"]
    write_csv(rows, paths[0])
    write_csv(flows, paths[1])
    if write_parquet(rows, out / "results.parquet"):
        paths.append(out / "results.parquet")
    return paths
