# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line of `pipelines/call`, installed gst-congestion-call."""
from . import early  # noqa: I001
import argparse
import sys

from . import codecs, controllers, film, network, paths, report, session, units

EPILOG = """examples:
  pipelines/call                                     a minute through a bottleneck whose capacity changes
  pipelines/call --encoder vp8enc --loss 1%          another encoder, random loss
  pipelines/call --capacity 2M --beside cubic@10     a download through the same queue from the tenth second on
  pipelines/call --controller fixed:800k             the same network without any control
  pipelines/call --camera /dev/video0 --remote HOST  send the camera to another machine
  pipelines/call --receive 5004 --window             which shows it
"""


OF_THE_BOTTLENECK = ("capacity", "trace", "reverse", "delay", "queue", "discipline", "loss", "burst", "jitter", "reorder", "beside")


def contradiction(options, parser):
    """What cannot be had together, in words for people; None: all can."""
    set_here = [name for name in OF_THE_BOTTLENECK if getattr(options, name) != parser.get_default(name)]
    elsewhere = [name for name in ("remote", "receive") if getattr(options, name) is not None]
    if options.remote == "":
        return "--remote names no host"
    if len(elsewhere) == 2:
        return "--remote sends, --receive receives: one at each end"
    if elsewhere and set_here:
        return f"with --{elsewhere[0]} there is no bottleneck: leave out --{', --'.join(set_here)}"
    if options.burst and not options.loss:
        return "--burst says how packets are lost: --loss says how many"
    if options.reorder and not options.jitter:
        return "--reorder lets jitter reorder: --jitter says how much there is"
    if options.min is not None and options.min > options.max:
        return f"--min is above --max, {units.show_rate(options.max)}"
    return None


def parse(arguments):
    p = argparse.ArgumentParser(prog=paths.PROGRAM, epilog=EPILOG.replace("pipelines/call", paths.PROGRAM), description="A video call that fits its network.",
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    s = session.Settings(out="")
    p.add_argument("--clip", metavar="FILE", help="a video file, or `portrait`, which is made here; default: a talking head, where one is found")
    p.add_argument("--camera", nargs="?", const="/dev/video0", metavar="DEVICE", help="instead of a clip (no PSNR then)")
    p.add_argument("--size", type=units.size_text, default=s.size, help="WIDTHxHEIGHT, default %(default)s")
    p.add_argument("--fps", type=units.frame_rate, default=s.fps, help="default %(default)s")
    p.add_argument("--encoder", choices=sorted(codecs.CODECS), default=s.encoder, help="default %(default)s")
    p.add_argument("--scale", action="store_true", help="ratescale: size and frame rate follow the rate, too")
    p.add_argument("--mode", choices=["low-delay", "rfc5348", "burst-control"], default=s.mode, help="of tfrcsink")
    p.add_argument("--controller", default=s.controller, metavar="NAME",
                   help="ours: ratecontrol and tfrcsink in --mode; low-delay, rfc5348, burst-control: the same; "
                   "losses are repaired; with +norepair not, with +byrtx or +byfec so alone, with +rtx by rtprtxsend; "
                   "with +window pictures are shown in time, as in a window, else as they are decoded; fixed:RATE: constant rate over udpsink; "
                   "oracle: told the capacity; gcc, rtptfrcbwe: elements in front of rtpbin; "
                   "farstream: Farstream's TFRC; chromium, webrtcsink: senders of WebRTC with their own encoder, "
                   "which repair as well; with +norepair not")
    p.add_argument("--capacity", type=units.path_schedule, default=s.capacity, metavar="SCHEDULE",
                   help="of the bottleneck: one rate (600k, 1.5M; without a unit bit/s) or seconds:rate,..., default %(default)s")
    p.add_argument("--trace", metavar="FILE", help="instead of --capacity: a file in mahimahi's format")
    p.add_argument("--reverse", type=units.path_schedule, metavar="SCHEDULE", help="capacity of the way back, default: the same")
    p.add_argument("--delay", type=units.path_time, default=s.delay, metavar="TIME",
                   help="each way: 50ms; without a unit s; default 50ms")
    p.add_argument("--queue", type=units.path_time, default=s.queue, metavar="TIME",
                   help="of drop tail and red, default 300ms")
    p.add_argument("--discipline", choices=network.DISCIPLINES, default=s.discipline, help="default %(default)s")
    p.add_argument("--loss", type=units.path_loss, default=s.loss, metavar="SHARE", help="random, 0.01 or 1%%")
    p.add_argument("--burst", type=units.burst, default=s.burst, metavar="N",
                   help="with --loss: mean packets lost in a row, default: by chance")
    p.add_argument("--jitter", type=units.path_time, default=s.jitter, metavar="TIME",
                   help="standard deviation, default 0")
    p.add_argument("--reorder", action="store_true", help="with --jitter: packets may overtake each other")
    p.add_argument("--beside", action="append", default=[], metavar="TRAFFIC",
                   help="cubic, newreno, bbr, short-tcp, udp:RATE or audio through the same queue, each with @FROM or "
                   "@FROM-TO in seconds; more than once for more of it")
    p.add_argument("--latency", type=units.path_time, metavar="TIME",
                   help="how long the receiver waits for a missing packet, default 100ms, and with our controllers "
                   "up to 400ms where that helps; with +rtx 250ms")
    p.add_argument("--seed", type=units.seed, default=s.seed, help="of the random loss, default %(default)s")
    p.add_argument("--duration", type=units.span, metavar="TIME", help="default 60s; with --receive, a day")
    p.add_argument("--start", type=units.path_rate, metavar="RATE", help="start-bitrate of tfrcsink")
    p.add_argument("--min", type=units.rate, metavar="RATE", help="min-bitrate of tfrcsink")
    p.add_argument("--max", type=units.path_rate, default=s.max, metavar="RATE", help="max-bitrate of tfrcsink, default 1.5M")
    p.add_argument("--remote", metavar="HOST", help="send to another machine; no bottleneck")
    p.add_argument("--receive", type=units.port, metavar="PORT", help="only receive; no bottleneck")
    p.add_argument("--port", type=units.port, default=s.port, help="of --remote, default %(default)s")
    p.add_argument("--window", action="store_true", help="show the received video")
    p.add_argument("--out", default=str(paths.OUT), metavar="DIR", help="default %(default)s")
    options = p.parse_args(arguments)
    try:
        controllers.make(options.controller)
        for text in options.beside:
            network.traffic(text)
    except ValueError as error:
        p.error(str(error))
    problem = contradiction(options, p)
    if problem:
        p.error(problem)
    options.duration = options.duration or (86400 if options.receive else s.duration)
    return session.Settings(**vars(options))


def main():
    early.listen()
    try:
        run = session.Session(parse(sys.argv[1:]), show=True)
        result = run.run()
    except (RuntimeError, ValueError, OSError) as error:
        print(f"call: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # while the report was made: a call itself ends in order
        print("call: interrupted before its report was written", file=sys.stderr)
        return 130
    if result:
        for what, figure in report.lines(result):
            print(f"{what:52} {figure}")
        print(f"\n{run.folder}/report.html   plots and pictures")
        if film.kept(run.folder):
            print(f"{film.kept(run.folder)}  the received video")
    return 1 if any("status" in p for p in run.problems) else 0


if __name__ == "__main__":
    sys.exit(main())
