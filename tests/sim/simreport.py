# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs simulations and makes one page of their tables and plots, OUT/index.html, images inside: what rtcp-report and
paqm-report share. Each scenario is a process of its own, two at a time.

A program is given --out OUT and leaves PROGRAM-SCENARIO.json (see apps/scenario.h) and CSV files there. Where there is
a PROGRAM-plot.py beside this script it is run on OUT and prints FILE<tab>CAPTION for each plot it has made.

With --replications N each scenario runs with N seeds, SEED and following, fewer where the page says that one is dear
(--every: all of them). The table shows the mean, its 95 % interval (Student) and the number of seeds, and the mean is
what is judged; plots are of the first seed. Files of the others: OUT/seed-K.

What has run to its end with the same program is not run again: a call that was stopped, by ^C or --minutes, goes on
where it was. --fresh runs everything.

Exit status: 0 all checks passed or known misses, 1 a check failed or a scenario did not finish.
"""
import argparse
import base64
import concurrent.futures
import hashlib
import html
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
T_95 = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14)  # by degrees of freedom
STYLE = """
body { font: 15px/1.4 sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: .5em 0 1.5em }
th, td { padding: .15em .8em; text-align: left; border-bottom: 1px solid #ddd }
td.n { text-align: right; font-variant-numeric: tabular-nums }
tr.missed td { background: #fff0c0 } tr.failed td { background: #ffd0d0 } tr.note td { color: #666 }
figure { display: inline-block; margin: .5em; width: 34em; max-width: 100% } figure img { width: 100% }
figcaption { color: #555; font-size: 90% }
"""


def options(page):
    parser = argparse.ArgumentParser(description=page["about"])
    parser.add_argument("--build", default="build", type=pathlib.Path, help="Meson's build directory (build)")
    parser.add_argument("--out", default=page["out"], type=pathlib.Path, help=f"where the page goes ({page['out']})")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--replications", default=1, type=int, metavar="N", help="seeds of each scenario, at most (1)")
    parser.add_argument("--every", action="store_true", help="that many of the dear ones too")
    parser.add_argument("--fresh", action="store_true", help="run again what has been run")
    parser.add_argument("--minutes", type=float, help="begin nothing after that; 0: just the page of what is there")
    parser.add_argument("--quick", action="store_true", help="the short variants")
    parser.add_argument("--jobs", default=2, type=int, help="processes at a time (2)")
    parser.add_argument("scenario", nargs="*", help="names or beginnings of names; all of them")
    chosen = parser.parse_args()
    chosen.page = page
    return chosen


def directory_of(chosen, seed):
    return chosen.out if seed == chosen.seed else chosen.out / f"seed-{seed}"


def program_path(chosen, name):
    return chosen.build / "tests" / "sim" / f"sim-{name}"


def asks_for(choice, name, names):
    """A whole name is that scenario alone, though others begin so."""
    return name == choice if choice in names else name.startswith(choice)


def scenarios_of(chosen):
    """(program, scenario) in the order of the page; programs that were not built are left out."""
    found = []
    for name, _ in chosen.page["programs"]:
        path = program_path(chosen, name)
        if not path.exists():
            print(f"{path} is missing: ninja -C {chosen.build} tests/sim/sim-{name}", file=sys.stderr)
            continue
        listing = subprocess.run([path, "--list"] + ["--quick"] * chosen.quick, check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        names = [line.split()[0] for line in listing.splitlines() if line.strip()]
        found += [(name, n) for n in names if not chosen.scenario or any(asks_for(c, n, names) for c in chosen.scenario)]
    return found


def identity(chosen, name):
    """Of the program: another one's results are not its own."""
    return hashlib.sha256(program_path(chosen, name).read_bytes()).hexdigest() + (" quick" if chosen.quick else "")


def mark_path(chosen, name, scenario, seed):
    return directory_of(chosen, seed) / f"{name}-{scenario}.done"


def finished(chosen, name, scenario, seed):
    """(status, seconds, seconds of processor) of an earlier run to the end; None where there is none."""
    try:
        mark = json.loads(mark_path(chosen, name, scenario, seed).read_text())
    except (OSError, ValueError):
        return None
    if chosen.fresh or mark["program"] != chosen.identity[name] or content_of(chosen, name, scenario, seed) is None:
        return None
    return mark["status"], mark["seconds"], mark["cpu"]


def run(chosen, name, scenario, seed):
    out = directory_of(chosen, seed)
    out.mkdir(exist_ok=True)
    mark = mark_path(chosen, name, scenario, seed)
    mark.unlink(missing_ok=True)
    command = [program_path(chosen, name), "--seed", str(seed), "--out", out, scenario] + ["--quick"] * chosen.quick
    began = time.monotonic()
    with open(out / f"{name}-{scenario}.log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        _, status, used = os.wait4(process.pid, 0)
    result = os.waitstatus_to_exitcode(status), time.monotonic() - began, used.ru_utime + used.ru_stime
    if result[0] in (0, 1):
        mark.write_text(json.dumps(dict(zip(("status", "seconds", "cpu"), result), program=chosen.identity[name])))
    return result


def seeds_of(chosen, scenario):
    """How many."""
    most = chosen.replications if chosen.every else chosen.page.get("most_seeds", {}).get(scenario, chosen.replications)
    return min(most, chosen.replications)


def work_of(chosen, which):
    """Seconds of processor it takes, as far as known."""
    return chosen.page.get("cost", {}).get(which[1], 30)


def clock(seconds):
    return f"{seconds // 60:.0f}:{seconds % 60:02.0f}"


class Progress:
    """Tells what has ended, and the time left, going by how fast the work known beforehand went so far."""

    def __init__(self, chosen, total, pending):
        self.chosen, self.total = chosen, total
        self.done = total - len(pending)
        self.work = sum(work_of(chosen, which) for which in pending)
        self.worked = 0
        self.began = time.monotonic()
        print(f"{self.done} of {total} done before; {clock(self.work)} min of processor time to go", flush=True)

    def tell(self, which, result):
        self.done += 1
        self.worked += work_of(self.chosen, which)
        left = (time.monotonic() - self.began) * (self.work - self.worked) / self.worked
        seed = f", seed {which[2]}" if self.chosen.replications > 1 else ""
        print(f"[{self.done}/{self.total}] {which[0]} {which[1]}{seed}: {result[1]:.0f} s ({result[2]:.0f} s of "
              f"processor), {'ok' if result[0] == 0 else 'FAILED'}; {clock(left)} min left", flush=True)


def run_pending(chosen, pending, results, progress):
    """One after the other in the order given, some at a time; stops where the time is over."""
    queue = list(reversed(pending))
    lock = threading.Lock()
    end = progress.began + chosen.minutes * 60 if chosen.minutes is not None else float("inf")

    def worker():
        while True:
            with lock:
                if not queue or time.monotonic() > end:
                    return
                which = queue.pop()
            result = run(chosen, *which)
            with lock:
                results[which] = result
                progress.tell(which, result)

    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        workers = [pool.submit(worker) for _ in range(chosen.jobs)]
        try:
            for future in workers:
                future.result()
        except KeyboardInterrupt:
            queue.clear()
            print("stopped: the same command goes on from here", file=sys.stderr)
            raise


def run_all(chosen, scenarios):
    """{(program, scenario, seed): (status, seconds, seconds of processor)}"""
    first = chosen.page["long_first"]
    order = [which + (chosen.seed + i,) for i in range(chosen.replications)
             for which in sorted(scenarios, key=lambda s: first.index(s[1]) if s[1] in first else len(first))
             if i < seeds_of(chosen, which[1])]
    results = {which: finished(chosen, *which) for which in order}
    pending = [which for which in order if results[which] is None]
    results = {which: result for which, result in results.items() if result}
    run_pending(chosen, pending, results, Progress(chosen, len(order), pending))
    return results


def plots_of(chosen, name):
    """(file, caption) of each plot."""
    script = HERE / f"{name}-plot.py"
    if not script.exists():
        return []
    listing = subprocess.run(["/usr/bin/python3", script, chosen.out], check=False, text=True, stdout=subprocess.PIPE)
    if listing.returncode:
        print(f"{script.name}: not all plots could be made, files of what was stopped are incomplete", file=sys.stderr)
    return [tuple(line.split("\t", 1)) for line in listing.stdout.splitlines() if "\t" in line]


def number(value):
    return "-" if value is None else f"{value:.5g}"


def interval(values):
    """Mean, half of its 95 % interval and how many, as text."""
    if len(values) < 2:
        return "-"
    half = T_95[min(len(values) - 2, len(T_95) - 1)] * statistics.stdev(values) / len(values) ** 0.5
    return f"{statistics.mean(values):.4g} ± {half:.2g} ({len(values)})"


def judged(row, values):
    """The row with its verdict on the mean of the seeds."""
    bounds = row.get("bounds")
    if not bounds or len(values) < 2:
        return row
    mean = statistics.mean(values)
    low, high, worst_low, worst_high = (b if b is not None else math.inf * (-1) ** (i % 2 == 0)
                                        for i, b in enumerate(bounds))
    met = low <= mean <= high
    known = worst_low <= mean <= worst_high and (worst_low, worst_high) != (low, high)
    return dict(row, ok=met, verdict="ok" if met else "MISSED, known" if known else "FAIL")


def table(rows, values):
    lines = ["<table><tr><th></th><th>published</th><th>ours</th>" +
             "<th>mean ± 95 % (seeds)</th>" * bool(values) + "<th>budget</th><th></th></tr>"]
    for row in rows:
        verdict = row.get("verdict") or ("" if row["ok"] is None else "ok" if row["ok"] else "FAIL")
        kind = "note" if row["ok"] is None else "" if row["ok"] else "missed" if "MISSED" in verdict else "failed"
        mean = f'<td class="n">{interval(values.get(row["what"], []))}</td>' if values else ""
        lines.append(f'<tr class="{kind}"><td>{html.escape(row["what"])}</td>'
                     f'<td class="n">{html.escape(str(row["published"]))}</td><td class="n">{number(row["ours"])}</td>'
                     f'{mean}<td class="n">{html.escape(row["budget"])}</td><td>{verdict}</td></tr>')
    return "\n".join(lines + ["</table>"])


def content_of(chosen, name, scenario, seed):
    """The table as the program left it; None where it did not finish."""
    try:
        return json.loads((directory_of(chosen, seed) / f"{name}-{scenario}.json").read_text())
    except (OSError, ValueError):
        return None


def replications_of(chosen, name, scenario, results):
    """{row: [its figure for each seed that has run]}, empty for a single seed."""
    figures = {}
    seeds = [which[2] for which in results if which[:2] == (name, scenario)]
    for seed in seeds if len(seeds) > 1 else ():
        for row in (content_of(chosen, name, scenario, seed) or {"rows": []})["rows"]:
            if row["ours"] is not None:
                figures.setdefault(row["what"], []).append(row["ours"])
    return figures


def section(chosen, name, scenario, results):
    """Its part of the page, its rows, and whether it finished."""
    first = results.get((name, scenario, chosen.seed))
    content = content_of(chosen, name, scenario, chosen.seed)
    if first is None or first[0] not in (0, 1) or content is None:
        why = "Not run yet." if first is None else f"Did not finish: see {name}-{scenario}.log."
        return f"<h3>{html.escape(scenario)}</h3><p>{why}</p>", [], False
    values = replications_of(chosen, name, scenario, results)
    rows = [judged(row, values.get(row["what"], [])) for row in content["rows"]]
    runs = [result for which, result in results.items() if which[:2] == (name, scenario)]
    used = sum(run[2] for run in runs) / len(runs)
    seeds = f"{len(runs)} seed{'s' * (len(runs) > 1)}, {used:.0f} s of processor time each"
    return (f'<h3>{html.escape(content["title"])}</h3>\n<p>{name} {scenario}, {seeds}</p>\n{table(rows, values)}',
            rows, True)


def image(path, caption):
    kind = "svg+xml" if path.suffix == ".svg" else path.suffix[1:]
    data = base64.b64encode(path.read_bytes()).decode()
    return (f'<figure><img alt="{html.escape(caption)}" src="data:image/{kind};base64,{data}">'
            f'<figcaption>{html.escape(caption)}</figcaption></figure>')


def page(chosen, scenarios, results):
    """The page, and whether all is well."""
    parts, rows, well = [], [], True
    for name, title in chosen.page["programs"]:
        mine = [s for program, s in scenarios if program == name]
        if not mine and chosen.scenario:
            continue
        if not mine:
            parts.append(f"<h2>{title}</h2><p>sim-{name} was not built.</p>")
            well = False
            continue
        parts.append(f"<h2>{title}</h2>")
        parts += [image(chosen.out / file, caption) for file, caption in plots_of(chosen, name)]
        for scenario in mine:
            text, found, ended = section(chosen, name, scenario, results)
            parts.append(text)
            rows += found
            well = well and ended
    missed = [row for row in rows if row["ok"] is False]
    failed = [row for row in missed if "MISSED" not in row.get("verdict", "")]
    checks = sum(row["ok"] is not None for row in rows)
    seeds = sorted({len([w for w in results if w[:2] == which]) for which in scenarios})
    summary = (f"{checks} checks: {checks - len(missed)} within their budgets, {len(missed) - len(failed)} known "
               f"misses, {len(failed)} failed. {seeds[0]}{f' to {seeds[-1]}' * (len(seeds) > 1)} seeds from "
               f"{chosen.seed}{', quick' * chosen.quick}; {clock(sum(r[2] for r in results.values()))} min of "
               "processor time.")
    head = ('<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8">'
            f'<title>{chosen.page["title"]}</title><style>{STYLE}</style>\n'
            f'<h1>{chosen.page["title"]}: published figures and ours</h1>\n<p>{summary}</p>\n')
    return head + "\n".join(parts) + "\n</html>\n", summary, well and not failed


def main(page_of):
    chosen = options(page_of)
    chosen.out.mkdir(parents=True, exist_ok=True)
    scenarios = scenarios_of(chosen)
    chosen.identity = {name: identity(chosen, name) for name in {name for name, _ in scenarios}}
    results = run_all(chosen, scenarios)
    text, summary, well = page(chosen, scenarios, results)
    (chosen.out / "index.html").write_text(text)
    print(f"{summary}\n{chosen.out / 'index.html'}")
    return 0 if well else 1
