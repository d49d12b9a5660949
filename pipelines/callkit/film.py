# SPDX-License-Identifier: LGPL-2.1-or-later
"""The received video in a form that browsers play: as it came, in another container; JPEG, bare pictures, and what no
container takes as it came, after losses, are coded anew."""
import pathlib
import shlex
import subprocess

from . import paths

RECEIVED, SHOWN = "received.mkv", "shown.mkv"  # the stream as it came; where no stream is to be had, the pictures
MOST_INSIDE = 12e6  # bytes of a film that is in the page itself; a longer one lies beside it
_SAFE = "queue max-size-time=0 max-size-bytes=0 max-size-buffers=0"
ANEW = ("webm", "decodebin ! videoconvert ! vp8enc deadline=1 cpu-used=8 target-bitrate=4000000 ! webmmux")
MUX = {"x264enc": ("mp4", "h264parse ! video/x-h264,stream-format=avc,alignment=au ! mp4mux"),
       "openh264enc": ("mp4", "h264parse ! video/x-h264,stream-format=avc,alignment=au ! mp4mux"),
       "vp8enc": ("webm", "webmmux"), "vp9enc": ("webm", "webmmux"),
       "jpegenc": ANEW}


def kept(folder):
    """The file of what was received; None where nothing was."""
    paths_to = (pathlib.Path(folder) / name for name in (RECEIVED, SHOWN))
    return next((path for path in paths_to if path.exists() and path.stat().st_size), None)


def make(folder, encoder):
    """The file of the film; None where there is none to be made."""
    source = kept(folder)
    if encoder not in MUX or source is None:
        return None
    return source.name == RECEIVED and _muxed(source, *MUX[encoder]) or _muxed(source, *ANEW)


def _muxed(source, kind, mux):
    film = source.with_suffix(f".{kind}")
    done = subprocess.run(["gst-launch-1.0", "-q", *shlex.split(
        f"filesrc location={shlex.quote(str(source))} ! matroskademux ! {_SAFE} ! {mux} ! "
        f"filesink location={shlex.quote(str(film))}")], env=paths.environment(), check=False, timeout=300,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return film if done.returncode == 0 and film.exists() and film.stat().st_size else None
