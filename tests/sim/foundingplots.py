# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small pictures for docs/founding.md and its pages, as SVG text: the same bytes for the same figures, on any machine."""
import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 64, 16, 42, 54
COLOURS = ("#1f6fb4", "#d2601a", "#3a8f3a", "#8a4fa8")
BAND = "#c9c9c9"


def ticks(low, high, log):
    if log:
        return [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    step = 10 ** math.floor(math.log10(high - low))
    while (high - low) / step > 6:
        step *= 2
    while (high - low) / step < 3:
        step /= 2
    return [low + i * step for i in range(int((high - low) / step + 1e-9) + 1)]


class Scale:
    def __init__(self, values, log):
        self.log = log
        self.low = min(values) if log else min(0, min(values))
        self.high = max(values) * (1 if log else 1.05)
        if log:
            self.low, self.high = (10 ** f(math.log10(v)) for f, v in ((math.floor, self.low), (math.ceil, self.high)))
        if self.high <= self.low:
            self.high = self.low + 1

    def y(self, value):
        value = min(max(value, self.low), self.high)
        part = (math.log(value / self.low) / math.log(self.high / self.low) if self.log
                else (value - self.low) / (self.high - self.low))
        return TOP + (1 - part) * (HEIGHT - TOP - BOTTOM)


def text(x, y, words, anchor="middle", size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{html.escape(words)}</text>'


def marks(scale, series, x_of, colour):
    """Points with their intervals."""
    parts = []
    for i, point in enumerate(series["points"]):
        if point is None:
            continue
        value, half = point
        x, y = x_of(i), scale.y(value)
        if half:
            parts.append(f'<path d="M{x:.1f} {scale.y(max(value - half, scale.low)):.1f}V{scale.y(value + half):.1f}" '
                         f'stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
    return parts


def bands(scale, series, x_of, width):
    """Published: from low to high for each place."""
    parts = []
    for i, band in enumerate(series["bands"]):
        if band is None:
            continue
        low, high = scale.y(band[0]), scale.y(band[1])
        parts.append(f'<rect x="{x_of(i) - width / 2:.1f}" y="{high:.1f}" width="{width:.1f}" '
                     f'height="{max(low - high, 2):.1f}" fill="{BAND}"/>')
    return parts


def chart(title, places, series, unit="", log=False):
    """places: names along the x axis; series: [{"name", "points": [(value, half) or None]} or {"name", "bands"}]."""
    values = [v for s in series for p in s.get("points", []) if p for v in (p[0], p[0] + p[1])]
    values += [v for s in series for b in s.get("bands", []) if b for v in b]
    scale = Scale([v for v in values if v > 0] if log else values, log)
    step = (WIDTH - LEFT - RIGHT) / len(places)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', text(LEFT, 16, title, "start", 13)]
    for tick in ticks(scale.low, scale.high, log):
        y = scale.y(tick)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>')
        parts.append(text(LEFT - 6, y + 4, f"{tick:g}", "end", 11))
    parts.append(text(LEFT, TOP - 8, unit, "end", 11))
    for i, place in enumerate(places):
        lines = place.split("\n")
        parts += [text(LEFT + (i + 0.5) * step, HEIGHT - BOTTOM + 16 + 13 * n, line, size=11) for n, line in enumerate(lines)]
    points = [s for s in series if "points" in s]
    for one in series:
        if "bands" in one:
            parts += bands(scale, one, lambda i: LEFT + (i + 0.5) * step, step * 0.7)
    for n, one in enumerate(points):
        shift = (n - (len(points) - 1) / 2) * step * 0.18
        parts += marks(scale, one, lambda i, s=shift: LEFT + (i + 0.5) * step + s, COLOURS[n])
    x = WIDTH - RIGHT
    for n, one in reversed(list(enumerate(points))):
        parts.append(text(x, 30, one["name"], "end", 11))
        x -= 7 * len(one["name"]) + 8
        parts.append(f'<circle cx="{x:.1f}" cy="26" r="4" fill="{COLOURS[n]}"/>')
        x -= 14
    for one in series:
        if "bands" in one:
            parts.append(text(x, 30, one["name"], "end", 11))
            x -= 7 * len(one["name"]) + 16
            parts.append(f'<rect x="{x:.1f}" y="21" width="10" height="10" fill="{BAND}"/>')
    return "\n".join(parts + ["</svg>", ""])


def shares(rows):
    """rows: [(name, (all, met, missed))]: a bar of a hundred parts each."""
    height, left = 26, 190
    full = WIDTH - left - RIGHT - 90
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TOP + height * len(rows)}" '
             'font-family="sans-serif">',
             f'<rect width="{WIDTH}" height="{TOP + height * len(rows)}" fill="white"/>']
    x = left
    for name, colour in (("met", COLOURS[2]), ("missed", COLOURS[1]), ("no budget: for comparison", BAND)):
        parts.append(f'<rect x="{x}" y="9" width="10" height="10" fill="{colour}"/>')
        parts.append(text(x + 15, 18, name, "start", 11))
        x += 90
    for i, (name, (n, good, bad)) in enumerate(rows):
        y = TOP - 8 + i * height
        parts.append(text(left - 8, y + 13, name, "end"))
        x = left
        for part, colour in ((good, COLOURS[2]), (bad, COLOURS[1]), (n - good - bad, BAND)):
            parts.append(f'<rect x="{x:.1f}" y="{y}" width="{full * part / n:.1f}" height="18" fill="{colour}"/>')
            x += full * part / n
        parts.append(text(x + 8, y + 13, f"{bad} of {good + bad} missed", "start", 11))
    return "\n".join(parts + ["</svg>", ""])
