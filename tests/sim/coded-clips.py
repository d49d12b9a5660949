#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Codes clips once per quantizer with x264enc and notes what each frame costs and how good it is, so that simulations
of many flows can take real frames at any quantizer (Lie 2008, paper E: Evalvid-RA's traces).

usage: coded-clips.py [--clips DIR] [--out FILE] [--frames N] [--pictures FILE]

The clips become one sequence of 352x288 at 30 fps, each scaled to fill it, in groups of 12 pictures without B frames.
FILE (out/coded-clips.txt, a megabyte; see apps/codedvideo.h) is text:

  fps frames gop quantizers lags
  the quantizers (QP)
  the lags
  per frame: bytes at each quantizer, luma MSE at each quantizer, luma MSE against the original `lag` frames earlier
"""
import argparse
import pathlib
import sys

import gi
import numpy

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

WIDTH, HEIGHT, FPS, GOP = 352, 288, 30, 12
PICTURE = WIDTH * HEIGHT * 3 // 2
QUANTIZERS = range(12, 49, 2)
LAGS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 45, 60, 90)
# Frames of each, in this order; names as in the folder of clips.
SEQUENCE = (("asl_webcam_640x480.mkv", 204), ("flower_720p_300f.264", 300), ("foreman_cif_intra_openh264.264", 300),
            ("container_foreman_paris_silent_mobile_tempete_qcif_1700f.264", 900), ("bigbuckbunny_720p_132f.mp4", 132))
HERE = pathlib.Path(__file__).resolve().parents[2]


def samples(description):
    """The buffers that arrive at the sink named `out`."""
    pipeline = Gst.parse_launch(description)
    sink = pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    while True:
        sample = sink.emit("pull-sample")
        if sample is None:
            break
        buffer = sample.get_buffer()
        yield buffer.extract_dup(0, buffer.get_size())
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message:
        sys.exit(message.parse_error()[0].message)


def pictures(path, count):
    """`count` frames of the clip, whatever its own frame rate; it begins anew where it is too short."""
    found = []
    while len(found) < count:
        before = len(found)
        for data in samples(f'filesrc location="{path}" ! decodebin ! videoconvert ! videoscale method=lanczos '
                            f"add-borders=false ! video/x-raw,format=I420,width={WIDTH},height={HEIGHT},"
                            "pixel-aspect-ratio=1/1 ! appsink name=out sync=false max-buffers=8"):
            found.append(data)
            if len(found) == count:
                break
        if len(found) == before:
            sys.exit(f"{path}: no pictures")
    return found


def luma(data):
    return numpy.frombuffer(data, numpy.uint8, WIDTH * HEIGHT).astype(numpy.int16)


def mse(a, b):
    difference = (a - b).astype(numpy.int32)
    return numpy.dot(difference, difference) / difference.size


def coded(raw, quantizer):
    """Bytes and decoded luma of each frame."""
    head = (f'filesrc location="{raw}" blocksize={PICTURE} ! rawvideoparse format=i420 width={WIDTH} height={HEIGHT} '
            f"framerate={FPS}/1 ! x264enc pass=quant quantizer={quantizer} tune=zerolatency speed-preset=superfast "
            f"key-int-max={GOP} bframes=0 threads=1 option-string=scenecut=0 ! ")
    stream = list(samples(head + "video/x-h264,stream-format=byte-stream,alignment=au ! appsink name=out sync=false"))
    path = raw.with_suffix(".264")
    path.write_bytes(b"".join(stream))
    decoded = samples(f'filesrc location="{path}" ! h264parse ! avdec_h264 ! videoconvert ! video/x-raw,format=I420 ! '
                      "appsink name=out sync=false max-buffers=8")
    return [len(data) for data in stream], decoded


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--clips", type=pathlib.Path, default=HERE.parent / "shared" / "clips")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "out" / "coded-clips.txt")
    parser.add_argument("--pictures", type=pathlib.Path, help="nothing but the sequence itself, as raw I420, into this")
    parser.add_argument("--frames", type=int, default=1836, help="whole groups of 12; fewer for a trial (1836)")
    chosen = parser.parse_args()
    Gst.init(None)
    missing = [name for name, _ in SEQUENCE if not (chosen.clips / name).exists()]
    if missing:
        sys.exit(f"{chosen.clips}: no {', '.join(missing)}; the simulations take a model instead")
    (chosen.pictures or chosen.out).parent.mkdir(parents=True, exist_ok=True)
    originals = [data for name, count in SEQUENCE for data in pictures(chosen.clips / name, count)][:chosen.frames]
    if chosen.pictures:
        part = chosen.pictures.with_suffix(".part")
        part.write_bytes(b"".join(originals))
        part.rename(chosen.pictures)
        return
    raw = chosen.out.with_suffix(".yuv")
    raw.write_bytes(b"".join(originals))
    reference = [luma(data) for data in originals]
    columns = []
    distances = []
    for quantizer in QUANTIZERS:
        sizes, decoded = coded(raw, quantizer)
        distances.append([mse(luma(data), reference[i]) for i, data in enumerate(decoded)])
        columns.append(sizes)
        if len(sizes) != len(reference) or len(distances[-1]) != len(reference):
            sys.exit(f"QP {quantizer}: {len(sizes)} frames coded, {len(distances[-1])} decoded of {len(reference)}")
        print(f"QP {quantizer}: {sum(sizes) * 8 * FPS / len(sizes) / 1000:.0f} kb/s, "
              f"{10 * numpy.log10(255 ** 2 / numpy.mean(distances[-1])):.1f} dB", flush=True)
    lags = [[mse(reference[i], reference[max(i - lag, 0)]) for i in range(len(reference))] for lag in LAGS]
    with open(chosen.out, "w") as file:
        print(FPS, len(reference), GOP, len(QUANTIZERS), len(LAGS), file=file)
        print(*QUANTIZERS, file=file)
        print(*LAGS, file=file)
        for i in range(len(reference)):
            print(*(column[i] for column in columns), *(f"{d[i]:.2f}" for d in distances),
                  *(f"{lag[i]:.1f}" for lag in lags), file=file)
    for path in (raw, raw.with_suffix(".264")):
        path.unlink()


if __name__ == "__main__":
    main()
