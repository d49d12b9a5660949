# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the ends of a call leave for each other: files in its folder, there at once and whole."""
import time

PATIENCE = 60  # s until the answer


def wait_for_file(path, patience=PATIENCE):
    """Its text."""
    end = time.monotonic() + patience
    while not path.exists():
        if time.monotonic() > end:
            raise RuntimeError(f"nobody wrote {path}")
        time.sleep(0.05)
    return path.read_text()


def leave_file(path, text):
    part = path.with_suffix(".part")
    part.write_text(text)
    part.rename(path)
