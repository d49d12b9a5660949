# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line of `tests/quality/run`."""
import argparse
import os
import shlex
import signal
import sys

from callkit import paths

from . import collect, gates, matrix, page, recorded, runner, table

WHAT = "Measures what the viewer of a call sees, controller by controller, across networks."
EPILOG = """examples:
  tests/quality/run                       the default matrix: some minutes
  tests/quality/run loss                  tests/quality/matrices/loss.toml
  tests/quality/run my.toml --out DIR     your own; run again after an interruption, it goes on
  tests/quality/run full --list-jobs      one command a line, for any scheduler
  tests/quality/run full --only 3/10      the third tenth of the jobs; then, once, --collect
docs/quality-lab.md tells about matrices, cells, controllers, clips and traces."""


def parse(arguments):
    p = argparse.ArgumentParser(prog="tests/quality/run", epilog=EPILOG, description=WHAT,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("matrix", nargs="?", default="default", help="a file, or a name in tests/quality/matrices")
    p.add_argument("--out", metavar="DIR", help="default out/lab/MATRIX")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                   help="simulations at once, default %(default)s")
    p.add_argument("--calls", type=int, default=1, metavar="N",
                   help="real calls at once, default %(default)s: those that share a processor disturb each other")
    p.add_argument("--engine", choices=["sim", "real"], help="only this engine's jobs")
    p.add_argument("--list-jobs", action="store_true", help="prepare, and print a command for each job")
    p.add_argument("--only", metavar="N/M", help="run only the N-th of M parts, and collect nothing")
    p.add_argument("--collect", action="store_true", help="run nothing; tables and report of what is finished")
    options = p.parse_args(arguments)
    if options.only:
        part, _, parts = options.only.partition("/")
        if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
            p.error("--only takes N/M with 1 <= N <= M")
        options.only = (int(part), int(parts))
    return options


def judged(prepared, m):
    """(results, what is missing, verdicts)"""
    found, missing = collect.results(prepared)
    collect.add_harm(found)
    return found, missing, gates.check(found, missing, m)


def again(prepared, m, out, options):
    """Real calls whose gate fails are made some times more, and the median of all is judged."""
    more = m.further(gates.doubted(m.jobs, judged(prepared, m)[2]))
    if not more:
        return []
    print(f"UNSTEADY: {len(more)} real calls more, as a gate failed: {', '.join(job.name for job in more)}", flush=True)
    more = runner.prepare(m, runner.places(more, out))
    run_jobs(more, options)
    return more


def run_jobs(prepared, options):
    crew = runner.Runner(prepared, max(options.jobs, 1), max(options.calls, 1), lambda text: print(text, flush=True))
    crew.announce()
    crew.run()


def report(prepared, m, out, command):
    """Tables, page and gates; 1 where a gate fails."""
    found, missing, checked = judged(prepared, m)
    written = collect.write_all(found, out)
    page.write(found, missing, checked, m, command, out / "report.html")
    for name, holds, text in checked:
        print(f"{'ok   ' if holds else 'FAIL '} {name:40} {text}")
    if m.windows:
        show_windows(out / "results.csv")
    skipped = sum(beyond for *_, beyond in missing)
    if skipped:
        why = sorted({w for _, w, beyond in missing if beyond})
        print(f"{skipped} jobs cannot be run here: {'; '.join(why[:5])}")
    print("\n".join(str(path) for path in [out / "report.html", *written]))
    return 0 if all(holds for _, holds, _ in checked) else 1


def show_windows(results):
    rows = table.read([results])
    for controller in dict.fromkeys(row["controller"] for row in rows):
        print(f"\n{controller}")
        print("\n".join(recorded.lines([[row for row in rows if row["controller"] == controller]])))


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    options = parse(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        m = matrix.Matrix(matrix.find(options.matrix))
        out = runner.out_folder(m, options.out)
        if m.absent:
            print(f"skipped: {len(m.absent)} cells over recordings that are not in {recorded.folder()}", flush=True)
        if not m.jobs and m.absent:
            return 0
        if options.engine:
            m.jobs = [job for job in m.jobs if job.engine == options.engine]
        if not m.jobs:
            raise ValueError(f"{m.path} has no jobs{' of this engine' if options.engine else ': it names no cells'}")
        prepared = runner.places(m.jobs, out)
        if options.only:
            prepared = prepared[options.only[0] - 1::options.only[1]]
        if not options.collect:
            runner.prepare(m, prepared)
    except (ValueError, OSError) as error:
        print(f"run: {error}", file=sys.stderr)
        return 2
    if options.list_jobs:
        for _, path in prepared:
            print(f"PYTHONPATH={paths.TOP}/tests/quality {sys.executable} -m lab.job {shlex.quote(str(path))}")
        return 0
    if not options.collect:
        try:
            run_jobs(prepared, options)
            if not options.only:
                prepared += again(prepared, m, out, options)
        except KeyboardInterrupt:
            print("\ninterrupted; the same command goes on from here", file=sys.stderr)
            return 130
    if options.only:
        return 0
    return report(prepared, m, out, f"tests/quality/run {' '.join(arguments)}")


if __name__ == "__main__":
    sys.exit(main())
