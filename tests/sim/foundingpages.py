# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/founding.md and a page for each document below docs/founding, out of the data: a summary first, then every row."""
import collections
import re

import foundingplots
from foundingdata import (budget, cause_of, causes, counts, excess, mean_of, met, ours, read_program, values_of)

# page: its name below docs/founding; told: where the story is told; programs: those whose rows it has.
Document = collections.namedtuple("Document", ("page", "heading", "short", "about", "told", "programs"))
DOCUMENTS = (
    Document("saurin", "Saurin 2006: TFRC and the sending buffer of UltraGrid", "Saurin 2006, UltraGrid",
             "A video-conference over TFRC, and what went wrong with it: timers, starts, frames that come too late.",
             "simulation.md#results", ("ultragrid",)),
    Document("lie", "Lie 2008: P-AQM and rate-adaptive video", "Lie 2008, P-AQM",
             "A router keeps media's queue short and tells each video its rate; videos follow within a group of "
             "pictures.", "simulation.md#p-aqm", ("paqm", "paqmnet")),
    Document("rfc4586", "RFC 4586: AVPF timing rules", "RFC 4586, AVPF",
             "When feedback may be sent early, how much of it is suppressed, and how long it waits.",
             "rtcp-simulation.md#rfc-4586-the-avpf-timing-rules", ("avpf",)),
    Document("reconsideration", "Rosenberg & Schulzrinne: timer reconsideration", "Timer reconsideration",
             "Thousands who join at once must not all report at once.", "rtcp-simulation.md", ("recon",)),
    Document("burst-control", "Chodorek & Chodorek: burst control", "Burst control",
             "A frame spread over its period spares the queue, and TCP beside it.", "simulation.md#results", ("burst",)),
)


# ---- pictures ----


def picture(row_value, title, places, series, **more):
    """None where the data are not there."""
    filled = []
    for one in series:
        if "points" in one:
            one = dict(one, points=[row_value(name) for name in one["points"]])
            if not any(one["points"]):
                return None
        filled.append(one)
    return foundingplots.chart(title, places, filled, **more)


def finder(program, scenario):
    _, rows = read_program(program)
    table = {row.row: mean_of(row) for row in rows if row.scenario == scenario}
    return table.get


NEWPRED = (32, 64, 128, 384, 512, 1000, 2000)


def newpred_bands(loss):
    _, rows = read_program("avpf")
    found = []
    for kbps in NEWPRED:
        text = next((r.published for r in rows if r.row == f"{kbps} kb/s, {loss} lost: waiting, least"), None)
        ends = [float(v) for v in re.findall(r"[\d.]+", text)] if text else []
        found.append(None if not ends else (ends[0], ends[1]) if len(ends) == 2 else (1, ends[0]))
    return found


def step_bands():
    """Figures 1 and 2 print the numbers alone: a mark of a fiftieth."""
    return [(n * 0.98, n * 1.02) for n in (10000, 197, 75)]


def pictures():
    """{document's page: (file, caption, SVG or None)}"""
    video = ("100ms/800k/10 fps", "20ms/6000k/10 fps", "20ms/6000k/15 fps", "20ms/6000k/25 fps", "20ms/5000k/10 fps",
             "200ms/3000k/10 fps", "100ms/1000k/10 fps")
    cells = [f"{rate} Mb/s, {size} B" for rate in (3, 6) for size in (100, 150, 188, 500, 1000, 1400)]
    alphas = ("0.10", "0.50", "0.85", "1.30", "1.70")
    modes = ("none", "conditional", "unconditional")
    return {
        "saurin": ("founding-ultragrid.svg", "capture to arrival, 95 %, where the thesis wants 150 ms", picture(
            finder("ultragrid", "video"), "Capture to arrival, 95th percentile", [v.replace("/", "\n") for v in video],
            [{"name": "wanted", "bands": [(0, 150)] * len(video)},
             {"name": "ours", "points": [f"{v} p95 capture to arrival ms" for v in video]}], unit="ms")),
        "lie": ("founding-stability.svg", "late swing of the queue by alpha; published: unstable, marginal, stable, "
                "marginal, unstable", picture(
                    finder("paqm", "stability"), "Late swing of the queue / N*", [f"alpha {a}" for a in alphas],
                    [{"name": f"RTT {rtt} ms", "points": [f"RTT {rtt} ms, alpha {a}: late swing / N*" for a in alphas]}
                     for rtt in (100, 400)], log=True)),
        "rfc4586": ("founding-newpred.svg", "waiting of NEWPRED's feedback at 5 % loss, least and greatest of five "
                    "delays", picture(
                        finder("avpf", "figure4"), "NEWPRED, 5 % lost: waiting", [f"{k} kb/s" for k in NEWPRED],
                        [{"name": "published", "bands": newpred_bands(0.05)},
                         {"name": "least", "points": [f"{k} kb/s, 0.05 lost: waiting, least" for k in NEWPRED]},
                         {"name": "greatest", "points": [f"{k} kb/s, 0.05 lost: waiting, greatest" for k in NEWPRED]}],
                        unit="ms", log=True)),
        "reconsideration": ("founding-step.svg", "packets sent at once when 10 000 join", picture(
            finder("recon", "burst"), "10 000 join at once: packets of the burst", list(modes),
            [{"name": "published", "bands": step_bands()},
             {"name": "ours", "points": [f"{mode}: packets" for mode in modes]}], log=True)),
        "burst-control": ("founding-burst.svg", "TCP beside one video by payload, with and without burst control",
                          picture(finder("burst", "payload"), "TCP goodput beside the video",
                                  [c.replace(" Mb/s, ", " Mb/s\n") for c in cells],
                                  [{"name": "with", "points": [f"{c} with: TCP Mb/s" for c in cells]},
                                   {"name": "without", "points": [f"{c} without: TCP Mb/s" for c in cells]}],
                                  unit="Mb/s")),
    }


# ---- words ----


def cell(words):
    return words.replace("|", "\\|").replace("<", "&lt;")


def from_below(words):
    """Links of a page in docs as one in docs/founding has them."""
    return re.sub(r"\]\((?!http|#)", "](../", words)


def heading_id(words):
    """As GitHub makes an anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def plural(n, what):
    return f"{n} {what}{'s' * (n != 1)}"


class Misses:
    """What a document's rows miss, by cause, in the order of causes.csv."""

    def __init__(self, known):
        self.known = known
        self.rows = collections.defaultdict(list)
        self.unexplained = []

    def note(self, program, row):
        cause = cause_of(self.known, program, row)
        if cause is None:
            self.unexplained.append(f"{program} {row.scenario}: {row.row}")
        else:
            self.rows[cause].append(row)

    def causes(self):
        return [cause for cause in self.known if cause in self.rows]

    def number(self, program, row):
        cause = cause_of(self.known, program, row)
        return self.causes().index(cause) + 1 if cause else None


def farthest(rows):
    """The row that misses most, its budget and what is there."""
    row = max(rows, key=excess)
    return f"{cell(row.row)} ({row.scenario}): {budget(row)}, **{ours(row)}**"


# ---- a document's page ----


def summary(document, misses, sections):
    lines = ["## What it comes to", "", "| | rows | met | missed |", "|---|---|---|---|"]
    for program, scenario, title, rows in sections:
        n, good, bad = counts(rows)
        missed = f"**{bad}**" if bad else "0"
        lines.append(f"| [{cell(title)}](#{heading_id(title)}) | {n} | {good} | {missed} |")
    if misses.causes():
        lines += ["", "## What is not reproduced, and why", "",
                  "| | | rows | farthest: budget, **ours** | why |", "|---|---|---|---|---|"]
    for i, cause in enumerate(misses.causes(), 1):
        rows = misses.rows[cause]
        lines.append(f'| <a id="why-{i}"></a>{i} | {cell(cause.what)} | {len(rows)} | {farthest(rows)} | '
                     f"{from_below(cell(cause.cause))} |")
    return lines + [""]


def scenario_section(program, scenario, title, rows, misses):
    seeds = max((len(values_of(row)) for row in rows), default=0)
    lines = [f"### {cell(title)}", "", f"`build/tests/sim/sim-{program} {scenario}`, {plural(seeds, 'seed')}", "",
             "| | published | ours | budget | |", "|---|---|---|---|---|"]
    for row in rows:
        verdict = {None: "", True: "met", False: "**missed**"}[met(row)]
        mine = ours(row)
        if met(row) is False:
            mine = f"**{mine}**"
            n = misses.number(program, row)
            verdict += f" [{n}](#why-{n})" if n else ""
        lines.append(f"| {cell(row.row)} | {cell(row.published)} | {mine} | {budget(row)} | {verdict} |")
    return lines + [""]


def sections_of(document):
    """[(program, scenario, title, rows)]"""
    found = []
    for program in document.programs:
        titles, rows = read_program(program)
        found += [(program, scenario, title, [row for row in rows if row.scenario == scenario])
                  for scenario, title in titles.items()]
    return found


def document_page(document, drawn, misses):
    sections = sections_of(document)
    for program, _, _, rows in sections:
        for row in rows:
            if met(row) is False:
                misses.note(program, row)
    lines = [f"# {document.heading}", "",
             f"{document.about} Every figure it published beside ours; the story is told in "
             f"[{document.told.split('#')[0]}](../{document.told}), how to read a row in "
             "[founding.md](../founding.md#how-to-read-a-row). Written by `tests/sim/founding`.", ""]
    file, caption, svg = drawn
    if svg:
        lines += [f"![{caption}](../images/{file})", ""]
    lines += summary(document, misses, sections) + ["## Row by row", ""]
    for section in sections:
        lines += scenario_section(*section, misses)
    return "\n".join(lines).rstrip("\n") + "\n"


# ---- the page of all ----

HEAD = """# The founding documents: what is reproduced, and what is not

Five documents started this project. Every figure they published stands beside ours, with a budget and a verdict. This page is the sum; each document has a page with all its rows.
"""

READ = """## How to read a row

**Ours** is the mean over the seeds ± half of its 95 % interval (none for one seed). **Budget** is the published figure with a tolerance that the program's source gives reasons for; a row without one is for comparison. The mean is judged: what is outside is **bold**, with the number of its cause.

Measured in real time, not here: U1, U2, U6, U10 of UltraGrid, and Evalvid-RA with real encoders ([results.md](results.md)). What else was simulated: [simulation.md](simulation.md), [rtcp-simulation.md](rtcp-simulation.md).

## Repeat it

    build/tests/sim/sim-ultragrid --seed 1 video # one scenario, as it stands above each table; minutes at most
    tests/sim/founding run video collapse        # these scenarios, into docs/data/founding and the pages
    tests/sim/founding run --replications 3      # all of it, hours of processor time; goes on where it was stopped
    tests/sim/founding --check                   # the pages follow the data, and every miss has a cause
"""


def index_page(counted, misses_of):
    lines = [HEAD, "![rows met and missed](images/founding-rows.svg)", "", "| | rows | met | missed |", "|---|---|---|---|"]
    for document in DOCUMENTS:
        n, good, bad = counted[document.page]
        lines.append(f"| [{document.short}](founding/{document.page}.md) | {n} | {good} | **{bad}** |")
    lines += ["", "## What is not reproduced, and why", "",
              "The misses that matter; a document's page has all, at length, with the figures.", "",
              "| | not reproduced | rows | why |", "|---|---|---|---|"]
    for document in DOCUMENTS:
        misses = misses_of[document.page]
        name = f"[{document.short}](founding/{document.page}.md#what-is-not-reproduced-and-why)"
        for cause in misses.causes():
            if cause.short:
                lines.append(f"| {name} | {cell(cause.what)} | {len(misses.rows[cause])} | {cause.short} |")
                name = ""
    return "\n".join(lines + ["", READ])


def pages():
    """{page below docs: text}, {picture: SVG}, misses without a cause."""
    known, drawn = causes(), pictures()
    texts, misses_of, counted = {}, {}, {}
    for document in DOCUMENTS:
        misses = misses_of[document.page] = Misses(known)
        texts[f"founding/{document.page}.md"] = document_page(document, drawn[document.page], misses)
        counted[document.page] = counts([row for section in sections_of(document) for row in section[3]])
    images = {file: svg for file, _, svg in drawn.values() if svg}
    images["founding-rows.svg"] = foundingplots.shares([(d.short, counted[d.page]) for d in DOCUMENTS])
    texts["founding.md"] = index_page(counted, misses_of)
    return texts, images, [what for misses in misses_of.values() for what in misses.unexplained]
