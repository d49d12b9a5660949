# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs simulations and makes one page of their tables and plots, OUT/index.html, images inside: what rtcp-report and
paqm-report share. Each scenario is a process of its own, two at a time.

A program is given --out OUT and leaves PROGRAM-SCENARIO.json (see apps/scenario.h) and CSV files there. Where there is
a PROGRAM-plot.py beside this script it is run on OUT and prints FILE<tab>CAPTION for each plot it has made.

With --replications N each scenario runs with N seeds, SEED and following, and the table shows the mean and its 95 %
interval (Student) beside the first seed's figure; plots are of the first seed. Their files: OUT/seed-K.

Exit status: 0 all checks passed or known misses, 1 a check failed or a scenario did not finish.
"""
import argparse
import base64
import concurrent.futures
import html
import json
import pathlib
import resource
import statistics
import subprocess
import sys
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
    parser.add_argument("--replications", default=1, type=int, metavar="N", help="seeds of each scenario (1)")
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
        found += [(name, n) for n in names if not chosen.scenario or n.startswith(tuple(chosen.scenario))]
    return found


def run(chosen, name, scenario, seed):
    began = time.monotonic()
    out = directory_of(chosen, seed)
    out.mkdir(exist_ok=True)
    command = [program_path(chosen, name), "--seed", str(seed), "--out", out, scenario]
    with open(out / f"{name}-{scenario}.log", "w") as log:
        status = subprocess.run(command + ["--quick"] * chosen.quick, stdout=log, stderr=log, check=False).returncode
    return status, time.monotonic() - began


def run_all(chosen, scenarios):
    """{(program, scenario, seed): (status, seconds)}"""
    results = {}
    first = chosen.page["long_first"]
    order = [which + (chosen.seed + i,) for i in range(chosen.replications)
             for which in sorted(scenarios, key=lambda s: first.index(s[1]) if s[1] in first else len(first))]
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        pending = {pool.submit(run, chosen, *which): which for which in order}
        for future in concurrent.futures.as_completed(pending):
            which = pending[future]
            results[which] = future.result()
            seed = f", seed {which[2]}" if chosen.replications > 1 else ""
            print(f"[{len(results)}/{len(order)}] {which[0]} {which[1]}{seed}: {results[which][1]:.0f} s, "
                  f"{'ok' if results[which][0] == 0 else 'FAILED'}", flush=True)
    return results


def plots_of(chosen, name):
    """(file, caption) of each plot."""
    script = HERE / f"{name}-plot.py"
    if not script.exists():
        return []
    listing = subprocess.run(["/usr/bin/python3", script, chosen.out], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    return [tuple(line.split("\t", 1)) for line in listing.splitlines() if "\t" in line]


def number(value):
    return "-" if value is None else f"{value:.5g}"


def interval(values):
    """Mean and half of its 95 % interval, as text."""
    values = [v for v in values if v is not None]
    if len(values) < 2:
        return "-"
    half = T_95[min(len(values) - 2, len(T_95) - 1)] * statistics.stdev(values) / len(values) ** 0.5
    return f"{statistics.mean(values):.4g} ± {half:.2g}"


def table(rows, replications):
    lines = ["<table><tr><th></th><th>published</th><th>ours</th>" +
             "<th>mean, 95 %</th>" * bool(replications) + "<th>budget</th><th></th></tr>"]
    for row in rows:
        verdict = row.get("verdict") or ("" if row["ok"] is None else "ok" if row["ok"] else "FAIL")
        kind = "note" if row["ok"] is None else "" if row["ok"] else "missed" if "MISSED" in verdict else "failed"
        mean = f'<td class="n">{interval(replications.get(row["what"], []))}</td>' if replications else ""
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


def replications_of(chosen, name, scenario):
    """{row: [its figure for each seed]}, empty for a single seed."""
    figures = {}
    if chosen.replications > 1:
        for i in range(chosen.replications):
            for row in (content_of(chosen, name, scenario, chosen.seed + i) or {"rows": []})["rows"]:
                figures.setdefault(row["what"], []).append(row["ours"])
    return figures


def section(chosen, name, scenario, result):
    content = content_of(chosen, name, scenario, chosen.seed)
    if content is None:
        return f'<h3>{html.escape(scenario)}</h3><p>Did not finish: see {name}-{scenario}.log.</p>', [], False
    return (f'<h3>{html.escape(content["title"])}</h3>\n<p>{name} {scenario}, {result[1]:.0f} s</p>\n'
            f'{table(content["rows"], replications_of(chosen, name, scenario))}', content["rows"], result[0] in (0, 1))


def image(path, caption):
    kind = "svg+xml" if path.suffix == ".svg" else path.suffix[1:]
    data = base64.b64encode(path.read_bytes()).decode()
    return (f'<figure><img alt="{html.escape(caption)}" src="data:image/{kind};base64,{data}">'
            f'<figcaption>{html.escape(caption)}</figcaption></figure>')


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def page(chosen, scenarios, results, seconds):
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
            text, found, finished = section(chosen, name, scenario, results[name, scenario, chosen.seed])
            parts.append(text)
            rows += found
            well = well and finished
    missed = [row for row in rows if row["ok"] is False]
    failed = [row for row in missed if "MISSED" not in row.get("verdict", "")]
    checks = sum(row["ok"] is not None for row in rows)
    summary = (f"{checks} checks: {checks - len(missed)} within their budgets, {len(missed) - len(failed)} known "
               f"misses, {len(failed)} failed. Seed {chosen.seed}{', quick' if chosen.quick else ''}; "
               f"{seconds:.0f} s, {processor_s():.0f} s of processor time.")
    head = ('<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8">'
            f'<title>{chosen.page["title"]}</title><style>{STYLE}</style>\n'
            f'<h1>{chosen.page["title"]}: published figures and ours</h1>\n<p>{summary}</p>\n')
    return head + "\n".join(parts) + "\n</html>\n", summary, well and not failed


def main(page_of):
    chosen = options(page_of)
    began = time.monotonic()
    chosen.out.mkdir(parents=True, exist_ok=True)
    for stale in chosen.out.iterdir():
        if stale.suffix in (".json", ".csv", ".svg", ".log"):
            stale.unlink()
    scenarios = scenarios_of(chosen)
    results = run_all(chosen, scenarios)
    text, summary, well = page(chosen, scenarios, results, time.monotonic() - began)
    (chosen.out / "index.html").write_text(text)
    print(f"{summary}\n{chosen.out / 'index.html'}")
    return 0 if well else 1
