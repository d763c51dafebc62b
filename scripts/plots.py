# SPDX-License-Identifier: MIT
"""Plots and tables of the pages in docs/, for the scripts that fill them with the results of benchmarks."""

import json
import math
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 36, 56
COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#b8860b", "#6a4c93", "#555555"]


class Axis:
    """A logarithmic or linear scale from values to pixels."""

    def __init__(self, values, start, end, logarithmic):
        self.logarithmic = logarithmic
        low, high = min(values), max(values)
        if logarithmic:
            low, high = low / 1.2, high * 1.2
        else:
            low, high = min(0.0, low), high + 0.05 * (high - low)
        self.low, self.high = self.of(low), self.of(high)
        self.start, self.end = start, end

    def of(self, value):
        return math.log10(value) if self.logarithmic else value

    def at(self, value):
        share = (self.of(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        if not self.logarithmic:
            step = 10.0 ** math.floor(math.log10(self.high - self.low))
            step = step / 5 if (self.high - self.low) / step < 2 else step / 2 if (self.high - self.low) / step < 5 else step
            first = math.ceil(self.low / step - 1e-9)
            return [i * step for i in range(first, math.floor(self.high / step + 1e-9) + 1)]
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        marks = [m * 10.0**d for d in decades for m in (1, 2, 5)]
        return [m for m in marks if self.low <= math.log10(m) <= self.high]


def text(x, y, content, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{content}</text>'


def line(x1, y1, x2, y2, style):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def draw_axes(x_axis, y_axis, title, x_label, y_label, x_ticks):
    out = [text(LEFT, 22, title, "start", 'font-weight="bold"')]
    for tick in x_ticks or x_axis.ticks():
        x = x_axis.at(tick)
        out.append(line(x, TOP, x, HEIGHT - BOTTOM, 'stroke="#e4e4e4"'))
        out.append(text(x, HEIGHT - BOTTOM + 17, f"{tick:g}"))
    for tick in y_axis.ticks():
        y = y_axis.at(tick)
        out.append(line(LEFT, y, WIDTH - RIGHT, y, 'stroke="#e4e4e4"'))
        out.append(text(LEFT - 7, y + 4, f"{tick:g}", "end"))
    out.append(
        f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}" '
        'fill="none" stroke="#888"/>'
    )
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, x_label))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    out.append(text(18, middle, y_label, "middle", f'transform="rotate(-90 18 {middle})"'))
    return out


def plot(path, title, x_label, y_label, series, logarithmic_x=True, logarithmic_y=True, x_ticks=None, dots=True):
    """series: list of (name, [(x, y, mark)]); a mark is a short text beside the point, or None."""
    points = [p for _, s in series for p in s]
    x_axis = Axis([p[0] for p in points], LEFT, WIDTH - RIGHT, logarithmic_x)
    y_axis = Axis([p[1] for p in points], HEIGHT - BOTTOM, TOP, logarithmic_y)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12" fill="#222">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    out += draw_axes(x_axis, y_axis, title, x_label, y_label, x_ticks)
    for i, (name, values) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        places = [(x_axis.at(x), y_axis.at(y), mark) for x, y, mark in values]
        path_text = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
        out.append(f'<polyline points="{path_text}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        for x, y, mark in places if dots else []:
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>')
            if mark:
                out.append(text(x - 6, y + 14, mark, "end", 'font-size="10"'))
        y = TOP + 14 + 20 * i
        out.append(line(WIDTH - RIGHT + 12, y - 4, WIDTH - RIGHT + 32, y - 4, f'stroke="{colour}" stroke-width="3"'))
        out.append(text(WIDTH - RIGHT + 38, y, name, "start"))
    out.append("</svg>\n")
    path.write_text("\n".join(out), encoding="utf-8")


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def fill_page(path, tables):
    """Writes each table between `<!-- measured NAME -->` and `<!-- end -->` of a page."""
    page = path.read_text(encoding="utf-8")
    for name, content in tables.items():
        pattern = re.compile(f"(<!-- measured {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = pattern.sub(lambda match: match.group(1) + content + "\n" + match.group(2), page)
    path.write_text(page, encoding="utf-8")


def read_result(usage):
    """The JSON file that the command line names."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    return json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
