# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the jobs of a matrix: each a process of its own, as many at once as there are processors; one that is finished
is not run again, one that fails harms no other, and an interrupted run goes on where it was."""
import concurrent.futures
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

from callkit import paths

from . import QUALITY, controllers, engines, jobs

# Until a machine's own jobs say better: s of one processor per simulated second and video flow, s around it, MB.
SIM_SECOND, SIM_FIXED, REAL_FIXED, MEMORY = 0.12, 1.0, 6.0, 300.0
SPEED = paths.CACHE / "lab-costs.json"
FORGET = 0.95  # of what was learned with each further job
TELLING = 10.0  # s a simulated job has to last to be learned from


def places(jobs, out):
    """[(job, path of its file)], nothing written."""
    return [(job, out / "jobs" / job.name / "job.ini") for job in jobs]


def prepare(matrix, chosen):
    """Writes the files of the chosen [(job, path)], and gives these. The result of a job that was another one, or
    another build's, goes."""
    for job, path in chosen:
        folder = path.parent
        groups = jobs.groups(job, folder)
        groups["lab"] |= {"keep": matrix.keep(job), "built": engines.fingerprint(job.engine)}
        fresh = folder / f"job.{socket.gethostname()}.{os.getpid()}"  # other parts of the run may be at it
        jobs.write(groups, fresh)
        if path.exists() and path.read_bytes() != fresh.read_bytes():
            (folder / "result.json").unlink(missing_ok=True)
        fresh.rename(path)
    return chosen


def finished(path):
    return (path.parent / "result.json").exists()


class Speed:
    """What jobs cost on this machine, learned from those that ran: by encoder [s of the wall, s of simulated video]."""

    def __init__(self):
        self.known = {}
        try:
            self.known = json.loads(SPEED.read_text())
        except (OSError, ValueError):
            pass

    def _second(self, encoder):
        wall, simulated = self.known.get(encoder, (SIM_SECOND, 1))
        return wall / simulated

    def seconds(self, job):
        flows = max(len(job.cell.flows_of("video")), 1)
        # fixed-best tries its grid against the least and the mean capacity; the gate of repetition runs twice.
        runs = 2 * len(controllers.GRID) if job.controller == "fixed-best" else 2 if job.purpose == "repeat" else 1
        if job.engine == "real":
            return runs * (job.duration + REAL_FIXED)
        if controllers.is_neighbour(job.controller):
            return SIM_FIXED
        return SIM_FIXED + runs * job.duration * flows * self._second(job.encoder)

    def memory(self):
        return self.known.get("memory", MEMORY)

    def learn(self, job, result):
        self.known["memory"] = max(self.known.get("memory", 0), result["memory_mb"])
        video = job.cell.flows_of("video") and not controllers.is_neighbour(job.controller)
        plain = job.engine == "sim" and job.controller != "fixed-best" and not job.purpose
        if plain and video and job.duration >= TELLING:
            wall, simulated = self.known.get(job.encoder, (0.0, 0.0))
            self.known[job.encoder] = [FORGET * wall + max(result["wall"] - SIM_FIXED, 0.0),
                                       FORGET * simulated + job.duration * len(job.cell.flows_of("video"))]

    def save(self):
        SPEED.parent.mkdir(parents=True, exist_ok=True)
        SPEED.write_text(json.dumps(self.known))


def show_time(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds:02d} s"


class Runner:
    def __init__(self, prepared, workers, calls=1, say=print):
        self.all = prepared
        self.workers, self.calls, self.say = workers, calls, say
        self.speed = Speed()
        self.running = {}
        self.lock = threading.Lock()
        self.stopping = False
        self.failed = []
        self.done = 0

    def waiting(self):
        return [(job, path) for job, path in self.all if not finished(path)]

    def expected(self, waiting):
        """s of the wall: simulations side by side, then real calls."""
        sim = [self.speed.seconds(job) for job, _ in waiting if job.engine == "sim"]
        real = [self.speed.seconds(job) for job, _ in waiting if job.engine == "real"]
        return sum(max(sum(part) / count, max(part, default=0))
                   for part, count in ((sim, self.workers), (real, self.calls)))

    def announce(self):
        waiting = self.waiting()
        self.say(f"{len(self.all)} jobs, {len(self.all) - len(waiting)} of them finished before; {self.workers} "
                 f"simulations or {self.calls} real calls at once; expected {show_time(self.expected(waiting))} and "
                 f"{self.workers * self.speed.memory():.0f} MB")

    def _start(self, path):
        environment = paths.environment()
        environment["PYTHONPATH"] = f"{QUALITY}:{environment['PYTHONPATH']}"
        with open(path.parent / "job.log", "w") as log:
            process = subprocess.Popen([sys.executable, "-m", "lab.job", str(path)], stdout=log, stderr=log,
                                       env=environment, start_new_session=True)
        paths.pass_priority(process.pid)
        return process

    def one(self, job, path):
        """Runs a job to its end; nothing it does is an exception here."""
        with self.lock:
            if self.stopping:
                return
            process = self._start(path)
            self.running[process.pid] = process
        status = process.wait()
        with self.lock:
            self.running.pop(process.pid, None)
            if self.stopping:
                return
            self.done += 1
            if status == 0 and finished(path):
                self.speed.learn(job, json.loads((path.parent / "result.json").read_text()))
            else:
                self.failed.append((job, path))
            self._progress(job, status)

    def _progress(self, job, status):
        left = [(j, p) for j, p in self.all if not finished(p)]
        failed = {p for _, p in self.failed}
        left = self.expected([(j, p) for j, p in left if p not in failed])
        word = {0: "", 3: "  cannot be run here"}.get(status, "  FAILED")
        text = f"{self.done}/{self.total}  {show_time(left)} left  {job.name}{word}"
        if sys.stdout.isatty() and not word:
            print(f"\r\033[K{text}", end="", flush=True)
        else:
            self.say(text)

    def stop(self):
        """Ends what is running; a job without its result is run again next time."""
        with self.lock:
            self.stopping = True
            for process in self.running.values():
                process.terminate()  # it alone: it ends its engine, which ends its own processes, each once

    def _side_by_side(self, waiting, count):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            try:
                list(pool.map(lambda w: self.one(*w), waiting))
            except KeyboardInterrupt:  # here: the pool waits for its threads when it is left
                self.stop()
                raise

    def run(self):
        """Jobs that failed or cannot be run here: [(job, path)]."""
        waiting = self.waiting()
        self.total = len(waiting)
        # Long ones first, so that none is left over at the end.
        sims = sorted([w for w in waiting if w[0].engine == "sim"], key=lambda w: -self.speed.seconds(w[0]))
        reals = [w for w in waiting if w[0].engine == "real"]
        try:
            self._side_by_side(sims, self.workers)
            self._side_by_side(reals, self.calls)
        finally:
            self.speed.save()
            if sys.stdout.isatty():
                print()
        return self.failed


def out_folder(matrix, given):
    return pathlib.Path(given).resolve() if given else paths.TOP / "out/lab" / matrix.name
