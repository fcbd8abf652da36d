"""The page *Figures*: rows with their targets, and the suite's table at its end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from inside_torch.run.machine import machine, torch_build

PAGE = Path("docs/en/contributing/figures.md")
_SUITE = "\n## The suite"


@dataclass(frozen=True)
class Figure:
    """One row of the table: ``value`` and ``target`` in ``unit``; with no target it is only watched."""

    name: str
    value: float
    unit: str
    target: float | None = None

    @property
    def kept(self) -> bool:
        return self.target is None or self.value <= self.target

    def row(self) -> str:
        bound = "" if self.target is None else f"at most {self.target:g} {self.unit}".strip()
        return f"| {self.name} | {self.value:.2f} {self.unit} | {bound} | {'' if self.kept else 'missed'} |"


def put_suite(page: str, section: str) -> str:
    """The page with another section about the suite, which stands at its end."""
    return page.partition(_SUITE)[0].rstrip("\n") + "\n\n" + section


def page_of(figures: list[Figure], commit: str, before: str = "") -> str:
    """The page that holds the table; the suite's section stays as it was ``before``."""
    release, build = torch_build()
    rows = "\n".join(figure.row() for figure in figures)
    _, heading, suite = before.partition(_SUITE)
    page = f"""---
title: Figures
---

# Figures

What the machine of this book costs, measured by `inside-torch bench` on {machine()}
(torch {release}, {build} build) at {commit}. Ratios are taken within one run; every figure is the median
of its rounds.

| figure | measured | target | |
|---|---:|---:|---|
{rows}

Plain Material is the same configuration and the same pages without any extension of ours: excerpts, programs
and outputs stand in them as ordinary code blocks, pins as ordinary links.
"""
    return page + heading + suite
