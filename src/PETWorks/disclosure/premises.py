"""Disclosure control of premises: outputs name no cell, row or value, and counts disclose nobody.

A count of a column names no value, so readers who may see the table get it; where values of small classes are withheld,
the number of people whom a column singles out is a band. The public gets columns, kinds and whole percentages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PETWorks.facts.notes import FORMULAS, Note
from PETWorks.premises.attack_result import COLUMN, Attack, AttackResult
from PETWorks.premises.premise import Premise, Premises
from PETWorks.shown import FEW, THRESHOLD, CountBand, Disclosure, Percent

BANDED = {"rest": ("alone",), "fingerprint": ("alone",)}  # per-column counts of people whom values single out
OF_CLASSES = ("covered", "fingerprint", "rest")  # premises whose counts tell how many people are alone: none, or few
NOT_PUBLIC = ("of", "qi", "left", "few", "with_sensitive")  # counts that tell the public whether anybody is alone
PUBLIC_TEXTS = ("by",)  # figures that are words


def disclose_premises(premises: Premises, may: Disclosure) -> Premises:
    """Return what may be shown to readers who may see the table, without access to rows."""

    def show(one: Premise) -> Premise:
        keys = () if may.names_classes else BANDED.get(one.name, ())
        columns = {name: _convert(found, keys, _to_band) for name, found in one.columns.items()} if keys else None
        return replace(one, columns=one.columns if columns is None else columns, finder=None)

    told = premises.formulas and _band_formulas(premises.formulas)
    tried = _disclose_tried(premises.tried, may)
    return replace(premises, all=tuple(map(show, premises.all)), tried=tried, formulas=told)


def _band_formulas(note: Note) -> Note:
    """Return the warning of cells that a spreadsheet program runs, with a band of their number."""
    cells = note.figures["cells"]
    return replace(note, figures={**note.figures, "cells": _to_band(cells) if isinstance(cells, int) else cells})


def _disclose_tried(tried: Attack | None, may: Disclosure) -> Attack | None:
    """Return whom adversaries find; those who know a single column in bands, where classes may not be named."""
    if tried is None or may.names_classes:
        return tried

    def show(one: AttackResult) -> AttackResult:
        return _band_people(one) if one.name.startswith(COLUMN) else one

    return replace(tried, results=tuple(map(show, tried.results)))


def _band_people(result: AttackResult) -> AttackResult:
    """Return whom an adversary finds, in bands."""
    found, certain = (
        _end_band(_to_band(one), result.people) if isinstance(one, int) else one
        for one in (result.found, result.certain)
    )
    return replace(result, found=found, certain=certain)


def _end_band(band: Any, everybody: int) -> Any:  # noqa: ANN401 (a band, or a number)
    """Return a band that ends with everybody, which readers know; their number if it leaves no other."""
    if not isinstance(band, CountBand) or band == FEW or band.high < everybody:
        return band
    return everybody if band.low == everybody else replace(band, high=everybody)


def publish_premises(premises: Premises, everybody: int) -> Premises:
    """Return what may be shown to the public: verdicts, columns, kinds, reasons, and shares in whole percent.

    Whom adversaries find would disclose which sizes below five classes have, so it is left out.
    """

    def show(one: Premise) -> Premise:
        share = partial(share_people, everybody=everybody, of_classes=one.name in OF_CLASSES)
        columns = {name: _publish(found, share) for name, found in one.columns.items()}
        counts = {
            name: share(found)
            for name, found in one.counts.items()
            if isinstance(found, int) and name not in NOT_PUBLIC
        }
        return replace(
            one,
            columns=columns,
            counts=counts | {name: found for name, found in one.counts.items() if name == "void"},
            accepted=tuple(replace(accepted, at_most=None) for accepted in one.accepted),
            finder=None,
        )

    shown = replace(premises, all=tuple(map(show, premises.all)))
    unused = tuple(replace(one, at_most=None) for one in premises.unused)
    formulas = premises.formulas and _name_formulas(premises.formulas)
    return replace(shown, unused=unused, adversaries=(), tried=None, formulas=formulas)


def _name_formulas(note: Note) -> Note:
    """Return the warning of cells that a spreadsheet program runs, without their number."""
    return Note(f"public_{FORMULAS}", {"columns": note.figures["columns"]}, warning=True)


def _convert(found: Any, keys: tuple[str, ...], change: Callable[[int], Any]) -> Any:  # noqa: ANN401
    if not isinstance(found, Mapping):
        return found
    return {key: change(one) if key in keys else one for key, one in found.items()}


def _to_band(count: int) -> Any:  # noqa: ANN401 (a band, or 0)
    return CountBand.of_people(count) if count else 0


def _publish(found: Any, share: Callable[..., Any]) -> Any:  # noqa: ANN401
    if isinstance(found, Mapping):
        of = found.get("of")
        own = share if of is None else partial(share, everybody=of)
        told = {key: own(one) for key, one in found.items() if isinstance(one, int) and key not in ("of", "values")}
        return told | {key: one for key, one in found.items() if key in PUBLIC_TEXTS}
    return share(found) if isinstance(found, int) else found


def share_people(count: int, everybody: int, *, of_classes: bool = False) -> Percent | CountBand | None:
    """Return a count as a whole percentage; a band if it is of few, None if what is left over is of few.

    That nobody is alone would tell of class sizes, so none is few as well.
    """
    if (0 if of_classes else 1) <= count < THRESHOLD:
        return CountBand.of_people(count)
    if 0 < everybody - count < THRESHOLD:
        return None
    return Percent.of(count, everybody)
