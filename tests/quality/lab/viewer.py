# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the viewer of a flow saw: quality of the picture on the screen in each frame's time, delays, freezes.

The pictures are those of received.mkv, decoded once more (or of shown.mkv, as they were), and paired with received.csv by their order and by the PSNR
that the receiver measured on the spot; a picture that fits no row is not used, and counted: its own frame has the
receiver's PSNR then, all else that of the picture before."""
import collections
import pathlib

import numpy

from callkit import clips, codecs, film, measures
from callkit.quality import mark, psnr, ssim

from . import playout, stamps, vmaf

TAIL = 2.5  # s before the end of the capture whose frames are not scored: the last of them are still under way
SAME = 0.02  # dB
LOOK_AHEAD = 4  # pictures that a receiver may have left out between two it showed
FAR = 40  # the same, or that the second decoder leaves out, behind a loss: two in a row have to fit
UNLIKE = 300  # pictures in a row that may be decoded to something else
CONCEALED = 30  # frames back from which a decoder may take the place of what is missing
BLACK = 16  # luma of a blank screen
MARKS = (1, 2, 3, 4, 5)


def decoded(folder, encoder):
    """Lumas of what the receiver kept, in order."""
    from callkit.gstio import Gst, structure_of
    path = film.kept(folder)
    if path is None:
        return
    decoder = codecs.CODECS[encoder].decoder if path.name == film.RECEIVED else "identity"
    Gst.init(None)
    pipeline = Gst.parse_launch(f"filesrc name=file ! matroskademux ! {decoder} ! "
                                "videoconvert ! video/x-raw,format=I420 ! appsink name=out sync=false max-buffers=4")
    pipeline.get_by_name("file").set_property("location", str(path))
    sink = pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while sample := sink.emit("pull-sample"):
            shape = structure_of(sample.get_caps(), 0)
            width, height = shape.get_value("width"), shape.get_value("height")
            buffer = sample.get_buffer()
            stride = (width + 3) // 4 * 4
            raw = numpy.frombuffer(buffer.extract_dup(0, stride * height), numpy.uint8)
            yield raw.reshape(height, stride)[:, :width]
    finally:
        pipeline.set_state(Gst.State.NULL)


def paired(pictures, rows, clip):
    """(frame number, luma or None) for each row (frame number, dB) that was shown. Behind a loss the second decoder may
    make other pictures than the first until the next key frame, or none: each row without its picture counts as one."""
    ahead = collections.deque()
    missed = 0  # rows since the last picture that was found, and pictures of theirs in `ahead`

    for row, (number, score) in enumerate(rows):
        while len(ahead) <= missed + FAR + 1 and (picture := next(pictures, None)) is not None:
            ahead.append(picture)
        found = first_that_fits(ahead, missed, LOOK_AHEAD, rows[row:row + 1], clip)
        if found is None and missed > LOOK_AHEAD:
            found = first_that_fits(ahead, missed, FAR, rows[row:row + 2], clip)
        yield number, None if found is None else ahead[found]
        if found is None and missed < UNLIKE:
            missed += 1
            continue
        for _ in range(1 if found is None else found + 1):
            if ahead:
                ahead.popleft()
        missed = missed if found is None else 0


def first_that_fits(ahead, expected, reach, rows, clip):
    """The place nearest to the one expected from which on the pictures are those of the rows."""
    last = min(expected + reach + 1, len(ahead) - len(rows) + 1)
    return next((place for place in sorted(range(max(expected - reach, 0), last), key=lambda p: abs(p - expected))
                 if all(is_it(ahead[place + n], clip, *row) for n, row in enumerate(rows))), None)


def is_it(picture, clip, number, score):
    return picture.shape == (clip.height, clip.width) and abs(psnr(clip.luma(number), picture) - score) < SAME


class Screen:
    """A flow's pictures under some playout rules."""

    def __init__(self, folder, settings, rules):
        self.folder = pathlib.Path(folder)
        self.call = measures.Call(folder, settings)
        self.clip = clips.Clip(settings["clip"], settings["width"], settings["height"], "clip")
        self.encoder = settings["encoder"]
        fresh = self.call.stale == 0
        self.numbers = self.call.frame[fresh].astype(int)
        self.at = self.call.displayed[fresh]
        self.row_psnr = self.call.psnr[fresh]
        self.frames, self.captured = self._scored()
        self.rules = {rule: playout.shown(rule, self.frames, self.captured, self.numbers, self.at) for rule in rules}
        self.scores = {}  # (frame, picture): (PSNR, SSIM)
        self.lost_pictures = 0
        self.stamps = {"right": 0, "concealed": 0, "wrong": 0, "damaged": 0}
        self.worst = []  # (dB, frame, picture number, luma)

    def _scored(self):
        frames = sorted(self.call.captured)
        at = numpy.array([self.call.captured[n] for n in frames])
        keep = at <= at[-1] - TAIL if len(at) else []
        return numpy.array(frames, int)[keep], at[keep]

    def wanted(self):
        """Frames that each picture stands for under any rule."""
        found = collections.defaultdict(set)
        for each in self.rules.values():
            for number, picture in zip(each.frames, each.picture):
                found[int(picture)].add(int(number))
        return found

    def score(self, read_stamps=False, sink=None):
        """Decodes and scores; sink, where given, is called with (original, shown) luma of each frame in order, for rule
        `none`."""
        wanted = self.wanted()
        by_none = collections.defaultdict(list)
        if "none" in self.rules:
            for number, picture in zip(self.rules["none"].frames, self.rules["none"].picture):
                by_none[int(picture)].append(int(number))
        black = numpy.full((self.clip.height, self.clip.width), BLACK, numpy.uint8)
        self._score_picture(playout.BLANK, black, wanted, by_none, sink)
        rows = list(zip(self.numbers.tolist(), self.row_psnr.tolist()))
        last = black
        own = dict(rows)
        for number, luma in paired(decoded(self.folder, self.encoder), rows, self.clip):
            if luma is None:
                self.lost_pictures += 1
                luma = last
            else:
                last = luma
                own.pop(number, None)
                if read_stamps:
                    self._check_stamp(number, luma)
            self._score_picture(number, luma, wanted, by_none, sink)
        for number, score in own.items():  # the picture is lost, what the receiver measured is not
            if (number, number) in self.scores:
                self.scores[number, number] = (score, self.scores[number, number][1])

    def _check_stamp(self, number, luma):
        """Where packets are missing, a decoder fills the hole with an earlier picture, and its stamp may lie there."""
        stamp = stamps.read(luma)
        earlier = {self.clip.index(n) for n in range(max(number - CONCEALED, 0), number)}
        kind = ("damaged" if stamp is None else "right" if stamp == self.clip.index(number) else
                "concealed" if stamp in earlier else "wrong")
        self.stamps[kind] += 1

    def _score_picture(self, picture, luma, wanted, by_none, sink):
        for number in wanted.get(picture, ()):
            original = self.clip.luma(number)
            self.scores[number, picture] = (psnr(original, luma), ssim(original, luma))
        if sink:
            for number in by_none.get(picture, ()):
                sink(self.clip.luma(number), luma)
        self._note_worst(picture, luma, by_none)

    def _note_worst(self, picture, luma, by_none):
        """Keeps the three worst, no two from the same second."""
        for number in by_none.get(picture, ()):
            score = self.scores[number, picture][0]
            near = [w for w in self.worst if abs(w[1] - number) < 30]
            if picture == playout.BLANK or any(w[0] <= score for w in near):
                continue
            self.worst = sorted([w for w in self.worst if w not in near] + [(score, number, picture, luma)],
                                key=lambda w: w[0])[:3]

    def quality(self, rule):
        """Means over the frames, the worst twentieth, the part of them that gets each mark, and how often the screen was
        stale or blank."""
        each = self.rules[rule]
        if not len(each.frames):
            return None
        values = numpy.array([self.scores[int(n), int(p)] for n, p in zip(each.frames, each.picture)])
        marks = numpy.bincount([mark(db) for db in values[:, 0]], minlength=len(MARKS) + 1)[1:] / len(values)
        return {"mos": float(marks @ MARKS), "marks": marks.tolist(),
                "psnr": float(values[:, 0].mean()), "psnr_p5": float(numpy.percentile(values[:, 0], 5)),
                "ssim": float(values[:, 1].mean()), "stale": float(each.stale().mean()),
                "blank": float(each.blank().mean()),
                **freezes(each.changes, self.pauses(), self.last_slot(each), self.captured[0])}

    def pauses(self):
        text = self.call.settings.get("pause")
        return [tuple(float(t) for t in text.split(","))] if text else []

    def last_slot(self, each):
        """When the last scored frame could have been on the screen."""
        _, delays = self.call.frame_delays()
        return max(self.captured[-1] + (float(delays.min()) if len(delays) else 0.0), each.until)

    def delays(self):
        at, delays = self.call.frame_delays()
        if not len(delays):
            return dict.fromkeys(("delay_mean", "delay_p50", "delay_p95", "delay_p99", "delay_min", "delay_max"))
        p50, p95, p99 = numpy.percentile(delays, (50, 95, 99))
        return {"delay_mean": float(delays.mean()), "delay_p50": float(p50), "delay_p95": float(p95),
                "delay_p99": float(p99), "delay_min": float(delays.min()), "delay_max": float(delays.max())}

    def blank_start(self):
        """s from the first capture to the first picture; None: there was none."""
        return float(self.at[0] - min(self.call.captured.values())) if len(self.at) else None


def freezes(changes, pauses=(), end=None, begin=None):
    """Gaps between pictures: the W3C's rule (at least three mean gaps of the last thirty, and 150 ms more than one) and
    plain 200 ms. A pause is none. With `end`, the screen's last picture lasts until then, also if it is the only one; a
    screen that stays blank from `begin` to `end` is frozen."""
    times = numpy.sort(numpy.asarray(changes, float))
    if not len(times) and begin is not None:
        times = numpy.array([begin])
    if end is not None and len(times) and end > times[-1]:
        times = numpy.append(times, end)
    gaps = numpy.diff(times)
    found = {"freezes": 0, "frozen": 0.0, "freezes_200ms": 0, "frozen_200ms": 0.0,
             "longest": float(gaps.max()) if len(gaps) else None}
    recent = collections.deque(maxlen=30)
    before_any = 0.0 if len(gaps) == 1 and end is not None else None  # a lone picture has no gaps to be measured by
    for begin, gap in zip(times, gaps):
        if any(begin <= b and begin + gap >= a for a, b in pauses):
            continue
        mean = sum(recent) / len(recent) if recent else before_any
        if mean is not None and gap >= max(3 * mean, mean + 0.15):
            found["freezes"] += 1
            found["frozen"] += float(gap)
        if gap > 0.2:
            found["freezes_200ms"] += 1
            found["frozen_200ms"] += float(gap)
        recent.append(gap)
    return found


def measure(folder, settings, rules, want_vmaf=False, read_stamps=False):
    """(figures, Screen) of a flow's folder."""
    screen = Screen(folder, settings, rules)
    meter = vmaf.Meter(screen.clip.width, screen.clip.height) if want_vmaf and vmaf.program() else None
    screen.score(read_stamps, meter.add if meter else None)
    found = {"playout": {rule: screen.quality(rule) for rule in rules}, **screen.delays(),
             "blank_start": screen.blank_start(), "frames": len(screen.frames), "pictures": len(screen.numbers),
             "pictures_lost": screen.lost_pictures}
    if meter:
        found["vmaf"] = meter.close()
    if read_stamps:
        found["stamps"] = screen.stamps
    return found, screen
