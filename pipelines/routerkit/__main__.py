# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line of `pipelines/router`."""
from callkit import early  # noqa: I001
import argparse
import os
import shlex
import signal
import subprocess
import sys
import time

from callkit import paths, units

from . import hosts, line

EPILOG = """examples:
  pipelines/router --sender 'iperf3 -c 10.99.0.2' --receiver 'iperf3 -s'
  pipelines/router --discipline fifo        the same link without P-AQM; stays until Ctrl-C, and tells how to get in
  pipelines/router --capacity 2M --properties 'ecn=none signalling=none'

Exit status: of --sender's command, where one ends; 1 where something goes wrong, which the last line says; 77 without
the right to make namespaces or TUN devices: the last line says what is missing.
"""


PATIENCE = 5  # s that a command which is to end may take


def _queue(text):
    units.span(text)
    return units.path_time(text)


def parse(arguments):
    p = argparse.ArgumentParser(
        prog="pipelines/router", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Two hosts in network namespaces, sender 10.99.0.1 and receiver 10.99.0.2 (fd99::1, fd99::2), and "
        "paqmshaper as the router between them: it shapes what the sender sends; the way back has the delay.")
    p.add_argument("--capacity", type=units.path_rate, default=8e6, metavar="RATE", help="default 8M")
    p.add_argument("--delay", type=units.path_time, default=0.025, metavar="TIME", help="round trip, default 25ms")
    p.add_argument("--discipline", choices=["p-aqm", "fifo"], default="p-aqm", help="default %(default)s")
    p.add_argument("--queue", type=_queue, default=0.3, metavar="TIME", help="of fifo, default 300ms")
    p.add_argument("--properties", metavar="WORDS", help="more of paqmshaper's, as gst-launch-1.0 takes them")
    p.add_argument("--sender", metavar="COMMAND", help="runs on the sender; its end ends all")
    p.add_argument("--receiver", metavar="COMMAND", help="runs on the receiver, started first")
    p.add_argument("--duration", type=units.span, metavar="TIME", help="default: until --sender ends, or Ctrl-C")
    return p.parse_args(arguments)


def _class_line(name, c):
    return (f"{name} {c['flows']:.0f} flows {units.show_rate(c['rate'])} backlog {c['backlog'] / 1e3:.0f} kB "
            f"wait {c['delay'] / 1e6:.1f} ms dropped {c['dropped'] + c['tail-dropped']} marked {c['marked']}")


def stats_line(t, s):
    told = units.show_rate(s["explicit-rate"]) if s["explicit-rate"] else "none"
    return (f"{t:5.0f} s  explicit rate {told}  {_class_line('media', s['media'])}  "
            f"{_class_line('elastic', s['elastic'])}")


def _start(host, command):
    return host.popen(["sh", "-c", command], env=paths.environment(), start_new_session=True) if command else None


def _finish(process):
    if process and process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _check(router, receiver):
    problem = router.error(lambda warning: print(f"router: {warning}", file=sys.stderr, flush=True))
    if problem:
        raise RuntimeError(problem)
    if receiver and receiver.poll():
        raise RuntimeError(f"the command of --receiver ended with status {_status(receiver)}, and nobody receives")


def _status(process):
    """As a shell has it: 128 and the signal's number of one that a signal ended."""
    return 128 - process.returncode if process.returncode < 0 else process.returncode


def follow(router, sender, receiver, until):
    """A line a second, until the sender's command ends. Its status; 0 where it was not the one that ended all."""
    begin = time.monotonic()
    while time.monotonic() < begin + until and (sender is None or sender.poll() is None):
        _check(router, receiver)
        time.sleep(1)
        print(stats_line(time.monotonic() - begin, router.stats()), flush=True)
    return _status(sender) if sender and sender.poll() is not None else 0


def run(options, near, far):
    router = line.Router(vars(options), near, far)
    for each in router.lines:
        print(f"gst-launch-1.0 {each}")
    for host in (near, far):
        print(f"{host.name}: {shlex.join(host.enter_from_outside(['sh']))}   {host.address} {host.address6}", flush=True)
    router.start()
    sender = receiver = None
    try:
        receiver = _start(far, options.receiver)
        if receiver:
            time.sleep(0.5)
            _check(router, receiver)
        sender = _start(near, options.sender)
        return follow(router, sender, receiver, options.duration or float("inf"))
    except KeyboardInterrupt:
        return 0
    finally:
        _finish(sender)
        _finish(receiver)
        router.stop()


def main():
    options = parse(sys.argv[1:])
    early.listen()
    made = []
    try:
        hosts.require(["-m", "routerkit"] + sys.argv[1:])
        paths.require_build(programs=())
        os.environ.update(paths.environment())
        made += [hosts.Host("sender", 1)]
        made += [hosts.Host("receiver", 2)]
        return run(options, *made)
    except hosts.Unprivileged as reason:
        print(f"router: skipped: {reason}", file=sys.stderr)
        return 77
    except (RuntimeError, OSError) as error:
        print(f"router: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("router: interrupted before it ran", file=sys.stderr)
        return 130
    finally:
        for host in made:
            host.close()


if __name__ == "__main__":
    sys.exit(main())
