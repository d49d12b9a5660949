# SPDX-License-Identifier: LGPL-2.1-or-later
"""VMAF by an ffmpeg that has libvmaf: $FFMPEG, the one on the path, or that of Python's package imageio-ffmpeg.
Debian's has none; where no ffmpeg has it, there is no VMAF."""
import functools
import json
import os
import shutil
import subprocess
import tempfile
import threading


def _has_vmaf(path):
    try:
        listed = subprocess.run([path, "-hide_banner", "-filters"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return False
    return any(line.split()[1:2] == ["libvmaf"] for line in listed.stdout.splitlines())


def _candidates():
    yield os.environ.get("FFMPEG")
    yield shutil.which("ffmpeg")
    try:
        import imageio_ffmpeg
        yield imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        pass


@functools.cache
def program():
    """Path of an ffmpeg with libvmaf, or None."""
    return next((path for path in _candidates() if path and _has_vmaf(path)), None)


WHY_NOT = "no ffmpeg with libvmaf: pip install imageio-ffmpeg, or name one in FFMPEG"


class Meter:
    """Takes pairs of luma pictures; the mean VMAF comes at the end."""

    def __init__(self, width, height):
        self.folder = tempfile.TemporaryDirectory(prefix="lab-vmaf-")
        names = [f"{self.folder.name}/{n}" for n in ("reference", "shown")]
        for name in names:
            os.mkfifo(name)
        raw = ["-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{width}x{height}", "-r", "30"]
        log = f"{self.folder.name}/log.json"
        chain = f"[0:v]format=yuv420p[r];[1:v]format=yuv420p[s];[s][r]libvmaf=log_fmt=json:log_path={log}:n_threads=1"
        self.process = subprocess.Popen(
            [program(), "-v", "error", "-nostdin"] + sum((raw + ["-i", n] for n in names), [])
            + ["-lavfi", chain, "-f", "null", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.log = log
        # ffmpeg opens its inputs one after the other, and reads ahead in either: each has a writer of its own.
        self.queues = [_Writer(name) for name in names]

    def add(self, original, shown):
        for writer, picture in zip(self.queues, (original, shown)):
            writer.put(picture.tobytes())

    def close(self):
        """Mean over the frames, or None where ffmpeg failed."""
        for writer in self.queues:
            writer.put(None)
        self.process.wait()
        for writer in self.queues:
            writer.thread.join()
        try:
            with open(self.log) as file:
                return json.load(file)["pooled_metrics"]["vmaf"]["mean"]
        except (OSError, ValueError, KeyError):
            return None
        finally:
            self.folder.cleanup()


class _Writer:
    def __init__(self, path):
        import queue
        self.path, self.pictures = path, queue.Queue(64)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def put(self, data):
        self.pictures.put(data)

    def run(self):
        broken = False
        with open(self.path, "wb") as file:
            while (data := self.pictures.get()) is not None:
                try:
                    broken or file.write(data)
                except OSError:  # ffmpeg has ended: what is put is still to be taken
                    broken = True
