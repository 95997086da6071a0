"""The benchmark's figures: SVG, readable in print, safe for colour-blind readers."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, NullFormatter

from kep_workbench.benchmark_tables import latencies
from kep_workbench.results import Figure

# Okabe and Ito's colours, each with a line style and a marker of its own.
_STYLES = (
    ("#000000", "-", "o"),
    ("#E69F00", "--", "s"),
    ("#D55E00", ":", "^"),
    ("#0072B2", "-.", "D"),
    ("#009E73", (0, (5, 1)), "v"),
    ("#CC79A7", (0, (1, 1)), "P"),
)
# Points of a distribution's curve: more cannot be seen, and make the file large.
_QUANTILES = 201
_KNOWN = ("upstream", "upstream-one-candidate", "original", "fast-path")
_SETTINGS: dict[Any, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "path",
    # The same samples give the same bytes.
    "svg.hashsalt": "kep-workbench",
}


def latency_figure(frame: pd.DataFrame, strategies: Sequence[str], where: str) -> Figure:
    """Empirical distribution of the decision time by strategy, on a logarithmic axis."""
    with _canvas(7.2, 3.9) as canvas:
        axes = canvas.add_subplot()
        for strategy in strategies:
            shares = np.linspace(0, 100, _QUANTILES)
            colour, line, _ = _style(strategy)
            axes.plot(
                np.percentile(latencies(frame, strategy), shares),
                shares,
                color=colour,
                linestyle=line,
                linewidth=1.8,
                label=strategy,
            )
        _milliseconds(axes, "x")
        _title(canvas, where)
        axes.set_xlabel("time of one decision (ms, logarithmic)")
        axes.set_ylabel("decisions at most this slow (%)")
        axes.set_ylim(0, 102)
        _legend_below(canvas, axes)
        data = _svg(canvas)
    medians = ", ".join(f"{name} {np.median(latencies(frame, name)):.3g} ms" for name in strategies)
    return Figure(
        "latency",
        f"Distribution of the time of one preemption decision, {where}.",
        f"Cumulative distribution of the decision time by strategy; medians: {medians}.",
        "image/svg+xml",
        data,
    )


def growth_figure(frame: pd.DataFrame, strategies: Sequence[str], where: str) -> Figure:
    """Median decision time against the number of nodes, with the middle 90 % as a band."""
    counts = sorted({int(count) for count in frame["nodes"]})
    with _canvas(7.2, 4.1) as canvas:
        axes = canvas.add_subplot()
        for strategy in strategies:
            colour, line, marker = _style(strategy)
            parts = [latencies(frame[frame["nodes"] == count], strategy) for count in counts]
            low, middle, high = (
                [float(np.percentile(part, point)) for part in parts] for point in (5, 50, 95)
            )
            axes.fill_between(counts, low, high, color=colour, alpha=0.12, linewidth=0)
            axes.plot(counts, middle, color=colour, linestyle=line, marker=marker, label=strategy)
        axes.set_xscale("log")
        axes.set_xticks(counts, [f"{count:,}" for count in counts])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.tick_params(axis="x", which="minor", length=0)
        _milliseconds(axes, "y")
        _title(canvas, where)
        axes.set_xlabel("nodes (logarithmic)")
        axes.set_ylabel("time of one decision (ms, logarithmic)")
        _legend_below(canvas, axes)
        data = _svg(canvas)
    return Figure(
        "growth",
        f"Median time of one preemption decision by number of nodes, {where}; the bands hold "
        "the middle 90 % of the decisions.",
        f"Decision time by strategy from {counts[0]} to {counts[-1]} nodes, both axes logarithmic.",
        "image/svg+xml",
        data,
    )


_QUALITY = (
    ("same_choice_as_upstream", "same choice as\nupstream (%)", 100.0),
    ("violations", "PDB violations\nper decision", 1.0),
    ("victims", "victims\nper decision", 1.0),
    ("highest_victim_priority", "highest victim\npriority (mean)", 1.0),
)


def quality_figure(frame: pd.DataFrame, strategies: Sequence[str], where: str) -> Figure:
    """Victim quality by strategy: four small bar charts side by side."""
    with _canvas(7.2, 1.15 + 0.42 * len(strategies)) as canvas:
        panels = canvas.subplots(1, len(_QUALITY), sharey=True)
        for axes, (column, title, factor) in zip(panels, _QUALITY, strict=True):
            values = [
                float(frame.loc[frame["strategy"] == name, column].astype(float).mean()) * factor
                for name in strategies
            ]
            _bars(axes, strategies, values, title)
        _title(canvas, where)
        data = _svg(canvas)
    return Figure(
        "quality",
        f"Whom the strategies preempt, {where}: means over all decisions.",
        "Bars by strategy: share of decisions equal to upstream's, PDB violations, victims, and "
        "the highest priority among the victims; the numbers are in the table 'quality'.",
        "image/svg+xml",
        data,
    )


def _bars(axes: Axes, strategies: Sequence[str], values: Sequence[float], title: str) -> None:
    colours = [_style(name)[0] for name in strategies]
    known = [0.0 if np.isnan(value) else value for value in values]
    axes.barh(range(len(strategies)), known, color=colours, height=0.62)
    top = max([*known, 0.0]) or 1.0
    for row, value in enumerate(values):
        words = "–" if np.isnan(value) else f"{value:.3g}"
        axes.text(known[row] + top * 0.04, row, words, va="center", fontsize=9)
    axes.set_xlim(0, top * 1.42)
    axes.set_xticks([])
    axes.grid(visible=False)
    axes.set_yticks(range(len(strategies)), list(strategies))
    axes.set_ylim(len(strategies) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["bottom"].set_visible(False)
    axes.set_title(title, fontsize=9.5, loc="left")


def _style(strategy: str) -> tuple[str, object, str]:
    if strategy in _KNOWN:
        return _STYLES[_KNOWN.index(strategy)]
    return _STYLES[len(_KNOWN) + sum(map(ord, strategy)) % (len(_STYLES) - len(_KNOWN))]


def _milliseconds(axes: Axes, which: str) -> None:
    """A logarithmic axis whose ticks read 0.1, 1, 10 and, in a short range, 2 and 5 too."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    minor = FuncFormatter(_two_and_five) if high / low < 200 else NullFormatter()
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(minor)


def _two_and_five(value: float, _: int | None) -> str:
    return f"{value:g}" if f"{value:e}"[0] in "25" else ""


def _title(canvas: Canvas, where: str) -> None:
    """Say in the picture itself what was measured; it may be shown without its caption."""
    title = f"{where[0].upper()}{where[1:]}"
    canvas.suptitle(title, x=0.01, ha="left", fontsize=9, color="#444444")


def _legend_below(canvas: Canvas, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)))


@contextmanager
def _canvas(width: float, height: float) -> Iterator[Canvas]:
    with mpl.rc_context(_SETTINGS):
        yield Canvas(figsize=(width, height), layout="constrained")


def _svg(canvas: Canvas) -> bytes:
    buffer = io.BytesIO()
    # Without a date the same samples give the same bytes.
    canvas.savefig(buffer, format="svg", metadata={"Date": None}, facecolor="white")
    return buffer.getvalue()
