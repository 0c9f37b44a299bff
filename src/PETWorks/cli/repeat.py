"""Repeat a report in JSON: find its files by their names, and evaluate its measures again.

A release that a record describes is made again from its original, by its policy or by its settings.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PETWorks.anonymization.anonymized_table import AnonymizedTable
from PETWorks.anonymization.make import make
from PETWorks.anonymization.plan import SearchSettings, record_search, restore_search
from PETWorks.cli.errors import SeveralProblemsError
from PETWorks.errors import CellText, MissingFileError, NotAskableError, PETWorksError, SourceError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import Front, Provenance
from PETWorks.evaluation.release import Release
from PETWorks.evaluation.requirement import Requirement
from PETWorks.evaluation.run import evaluate_all
from PETWorks.facts.roles import Roles
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import find_parameters
from PETWorks.measure.registry import find, measures
from PETWorks.measure.result import Result
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.policy.policy import Policy
from PETWorks.policy.toml import Problems, read_toml
from PETWorks.premises.premise import Premises
from PETWorks.render.formats.json import SCHEMA
from PETWorks.settings.kinds import LOSS
from PETWorks.settings.section import declared
from PETWorks.settings.sections import Preparing, Reading
from PETWorks.tables.decoding import build_missing_file_error, build_unreadable_error
from PETWorks.tables.opening import OpenedTable, open_original, open_source
from PETWorks.tables.query import FORM
from PETWorks.tables.source import compute_digest

Document = dict[str, Any]
NAMELESS = ("", "..")  # last parts of paths to folders that cannot be found by name
DEPTH = 2  # files are searched in this many levels of subfolders
PEOPLE = ("person", "known", "unknown_person")  # in a record only if there is a person column
READING = ("key", "pairing", "weight", "suppressed", "unknown_values", *declared(Reading))
PLAIN_PROVENANCE = (  # fields of a provenance that the front does not need
    *("the_rest", "rows", "heights", "without_hierarchy", "loss", "bound"),
    *("proven", "proof", "polish_rounds", "divided"),
)
WRITTEN = "name a report in JSON, or the record that petworks anonymize wrote with --record"


def read_report(path: Path) -> Document:
    """Read a report in JSON; raise an error if it has no record of files."""
    try:
        document = json.loads(path.read_bytes(), object_pairs_hook=_require_once)
    except FileNotFoundError as error:
        raise build_missing_file_error(path, str(path), ".json") from error
    except OSError as error:
        raise build_unreadable_error(error, str(path)) from error
    except _TwiceError as error:
        raise SourceError(
            "this JSON has a name twice in one object", where=path.name, hint=WRITTEN, figures={}
        ) from error
    except (ValueError, RecursionError) as error:
        raise SourceError("this is not JSON", where=path.name, hint=WRITTEN, figures={}) from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise SourceError(f'this is not a report of the format "{SCHEMA}"', where=path.name, hint=WRITTEN)
    if not isinstance(document.get("record"), dict):
        raise NotAskableError("the report has no record of files", where=path.name, hint=WRITTEN)
    with report_damage(path.name):
        named = [one["role"] for one in document["record"]["tables"]]
        named += [("hierarchy", one["column"]) for one in document["record"]["hierarchies"]]
        is_twice = any(named.count(one) > 1 for one in named)
    if is_twice:
        hint = "it is not known which digest is right; ask for the report as it was written"
        raise NotAskableError("the report names a file twice", where=path.name, hint=hint)
    return document


class _TwiceError(ValueError):
    """An object of JSON has a duplicate name."""


def _require_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; raise an error for a duplicate name, which programs would read differently."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise _TwiceError
    return dict(pairs)


class Files:
    """The files that a report names, searched in some folders and two levels of subfolders."""

    def __init__(self, record: Mapping[str, Any], folders: Sequence[Path], *, read_outside: bool = False) -> None:
        self.record = record
        self.read_outside = read_outside  # True: the query of the policy may read files outside its folder
        self._folders = folders

    @cached_property
    def _folders_within(self) -> list[Path]:
        folders = found = list(self._folders)
        for _ in range(DEPTH):
            found = [one for folder in found for one in _list_folders(folder)]
            folders = folders + found
        return folders

    def list_all(self) -> Iterator[Path]:
        """Yield all files in the folders, without links."""
        for folder in self._folders_within:
            with suppress(OSError):
                for entry in sorted(os.scandir(folder), key=lambda one: one.name):
                    if entry.is_file(follow_symlinks=False):
                        yield Path(entry.path)

    def find(self, name: str, digest: str | None) -> Path:
        """Return the file of this name; of several, one that has the digest, if there is one.

        A file in none of the folders may be where the policy says, if policy and file have the digests of the report.
        """
        try:
            found = self._all(name)
        except MissingFileError:
            if digest is None or not (named := [one for one in self._find_by_policy(name) if _has_digest(one, digest)]):
                raise
            return named[0]
        return next((path for path in found[1:] and found if _has_digest(path, digest)), found[0])

    def _all(self, name: str) -> list[Path]:
        """Return all files and folders of this name; raise an error if there are none."""
        last = Path(name).name  # a report may not lead out of the folders
        found = [path for folder in self._folders_within if last not in NAMELESS and (path := folder / last).exists()]
        if not found:
            places = ", ".join(map(str, self._folders))
            hint = f"it was looked for in {places}, and in the folders there; name another with --folder"
            raise MissingFileError("there is no such file", where=name, hint=hint)
        return found

    def _find_by_policy(self, name: str) -> list[Path]:
        """Return the paths at which the policy names a file; none if the policy is not that of the report."""
        policy, last = self.record["policy"], Path(name).name
        if not policy or name == policy["name"]:
            return []
        path = self.find(policy["name"], policy["sha256"])
        if not _has_digest(path, policy["sha256"]):
            return []
        data = read_toml(path)[0].get("data", {})
        named = [path.parent / one for key, one in data.items() if isinstance(one, str) and key != "query"]
        return [one for place in named for one in (place, place / last) if one.name == last and one.exists()]

    def find_tables(self) -> dict[str, Path]:
        """Return the files of the tables, by role."""
        return {one["role"]: self._find_named(one) for one in self.record["tables"] if not _is_of_query(one)}

    def find_hierarchies(self) -> dict[str, Path]:
        """Return the files of the hierarchies, by column."""
        return {one["column"]: self._find_named(one) for one in self.record["hierarchies"]}

    def select_inputs(self) -> Files:
        """Return the files without the release."""
        tables = [one for one in self.record["tables"] if one["role"] != "release"]
        return Files({**self.record, "tables": tables}, self._folders, read_outside=self.read_outside)

    @property
    def release(self) -> Mapping[str, Any]:
        """The entry of the release in the report."""
        tables: dict[str, Mapping[str, Any]] = {one["role"]: one for one in self.record["tables"]}
        return tables["release"]

    def find_policy(self) -> Path | None:
        """Return the policy file; None if there was none."""
        policy = self.record["policy"]
        return self.find(policy["name"], policy["sha256"]) if policy else None

    def find_for_policy(self, name: str) -> Path:
        """Return the file, or the folder of hierarchies, that a policy names; of several, one with the digests."""
        digests = [one["sha256"] for one in self.record["tables"] if one["name"] == Path(name).name]
        if digests:
            return self.find(name, digests[0])
        nameless = Path(name).name in NAMELESS
        try:
            found = self._folders_within if nameless else self._all(name)
        except MissingFileError:
            if not (found := [one for one in self._find_by_policy(name) if self._hierarchies_in(one)]):
                raise
        return max(found, key=self._hierarchies_in)  # the first of those that have most

    def _hierarchies_in(self, path: Path) -> int:
        """Return how many hierarchies of the report are in a folder, or in a file."""
        named = [one for one in self.record["hierarchies"] if one["name"]]
        return sum(
            _has_digest(path / Path(one["name"]).name if path.is_dir() else path, one["sha256"]) for one in named
        )

    def _find_named(self, one: Mapping[str, Any]) -> Path:
        if not one["name"] or one.get("form") in ("in memory", FORM):
            what = one.get("role") or f'hierarchy of "{one["column"]}"'
            hint = "write it to a file, and make the report from the file"
            raise NotAskableError(f"the {what} was not in a file, so it cannot be read again", hint=hint)
        return self.find(one["name"], one["sha256"])

    def require(self) -> None:
        """Raise all errors about files that are missing, or that were tables in memory."""
        problems = Problems()
        for _, one in self.named_files():
            with problems.gathering():
                if not (
                    _is_of_query(one) and self.record["policy"]
                ):  # the policy has the query, which is computed again
                    self._find_named(one)
        if problems:
            raise SeveralProblemsError(problems)

    def digests(self) -> Iterator[tuple[str, Mapping[str, Any], str | None]]:
        """Yield the kind of each file, its entry in the report, and its digest now."""
        for what, named in self.named_files():
            yield what, named, None if _is_of_query(named) else compute_path_digest(self._find_named(named))

    def name(self, entry: Mapping[str, Any]) -> str:
        """Return the path of the file of an entry in the report; its name, if it is not in the folders."""
        try:
            return str(self._find_named(entry))
        except PETWorksError:
            return str(entry["name"] or entry.get("column"))

    def named_files(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the kind of each file, and its entry in the report. A hierarchy built by a rule has no file."""
        yield from ((one["role"], one) for one in self.record["tables"])
        by_rule = bool(self.record["policy"])
        yield from (("hierarchy", one) for one in self.record["hierarchies"] if one["name"] or not by_rule)
        yield from (("policy", one) for one in [self.record["policy"]] if one)


def _is_of_query(entry: Mapping[str, Any]) -> bool:
    """Return True if an entry of a record is the result of a query."""
    return entry.get("form") == FORM


def _list_folders(folder: Path) -> list[Path]:
    """Return the folders in a folder; none if it may not be read."""
    try:
        return [Path(one) for one in sorted(one.path for one in os.scandir(folder) if one.is_dir())]
    except OSError:
        return []


def _has_digest(path: Path, digest: str | None) -> bool:
    """Return True if a file has a digest; False if it cannot be read, or is a folder without tables."""
    try:
        return compute_path_digest(path) == digest
    except (PETWorksError, OSError):
        return False


def compute_path_digest(path: Path) -> str | None:
    """Return the SHA-256 of a file, or of a table that is a folder of files."""
    return open_source(path, path.name).digest() if path.is_dir() else compute_digest(path)


def repeat(report: Document, files: Files, memory: Mapping[str, Any]) -> Evaluation:
    """Evaluate the measures of a report again, by its policy if it has one."""
    if policy := files.find_policy():
        judged = Policy(policy, located=files.find_for_policy, read_outside=files.read_outside, **memory)
        judged.release.hash_while_reading()
        evaluation = judged.check()
        evaluation.judges_premises = "premises" in report  # a report of an earlier version has none
        return evaluation
    record, tables = files.record, files.find_tables()
    if record.get("earlier"):
        problem = "the release was judged beside earlier ones, and the report does not say where their originals are"
        raise NotAskableError(problem, hint="put the policy beside it that has [[earlier]], and verify again")
    release = Release(
        tables["release"],
        original=tables.get("original"),
        population=tables.get("population"),
        holdout=tables.get("holdout"),
        synthetic=record.get("synthetic", False),
        hierarchies=files.find_hierarchies() or None,
        sidecar=False,
        **record["roles"],
        **{name: record[name] for name in declared(Preparing) if name in record},
        **{name: record[name] for name in READING},
        **{name: record[name] for name in PEOPLE if record.get(name) is not None},
        **memory,
    )
    release.hash_while_reading()
    said = Premises.from_dict(report) if report.get("premises") else None
    checked = release.check(
        *(
            Requirement(build_measure(one), why=one["why"], source=one["source"], clause=one["clause"])
            for one in report["requirements"]
        ),
        accept=said.given if said else (),
        adversaries=said.adversaries if said else (),
    )
    required = checked.requirements
    by_place = {one["result"]: judged for one, judged in zip(report["requirements"], required, strict=True)}
    results = [
        (by_place[place].result if place in by_place else None) or release.ask(build_measure(one))
        for place, one in enumerate(report["results"])
    ]
    others = {kind.name for kind in measures().values()} - report["skipped"].keys()
    skipped = evaluate_all(release.facts, without=others).skipped if report["skipped"] else {}
    repeated = Evaluation(results, skipped, required, report["title"])
    repeated.premise_source, repeated.judges_premises = checked.premise_source, said is not None
    return repeated


def build_measure(plain: Mapping[str, Any]) -> Measure:
    """Build a measure from its name and parameters; raise an error if it needs a function."""
    kind = find(plain["measure"])
    if any(parameter.kind == "function" for parameter in find_parameters(kind).values()):
        hint = "evaluate it again in Python: code that a report names is never run"
        raise NotAskableError(f"{kind.name} needs a function of yours, so it cannot be verified", hint=hint)
    if plain["parameters"].get("model"):
        hint = "evaluate it again in Python: code that a report names is never run"
        raise NotAskableError(f"{kind.name} with a model of yours cannot be verified", hint=hint)
    return kind(**plain["parameters"])


def repeat_document(report: Document, files: Files, memory: Mapping[str, Any]) -> Document:
    """Return the repeated report as a document."""
    return export_document(repeat(report, files, memory), files)


def export_document(evaluation: Evaluation, files: Files) -> Document:
    """Return an evaluation as a document, disclosure-controlled as the report was."""
    shown = evaluation.guarded() if files.record["small_classes"] == "withheld" else evaluation
    left_out = any(one["role"] == "original" and one["sha256"] is None for one in files.record["tables"])
    document: Document = json.loads(shown.to_json(original_digest=not left_out))
    return document


@contextmanager
def report_damage(name: str) -> Iterator[None]:
    """Turn errors caused by a report of an unexpected structure into an error that it is damaged."""
    try:
        yield
    except PETWorksError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        problem = "the report is damaged ({kind}: {reason})"
        figures = {"kind": type(error).__name__, "reason": CellText(f"{error!s:.60}")}
        raise SourceError(problem, where=name, hint=WRITTEN, figures=figures) from error


def remake_document(report: Document, files: Files, memory: Mapping[str, Any]) -> Document:
    """Make the release again in a temporary folder, and return its record."""
    recorded, policy = report["making"], files.find_policy()
    reading = {**memory, "located": files.find_for_policy, "read_outside": files.read_outside}
    recipe = Policy(policy, **reading, purpose="anonymize") if policy else None
    if recipe:
        original, settings, rest = recipe.original, recipe.plan, recipe.rest
    else:
        original, settings, rest = (
            _read_original(recorded, files, memory),
            restore_search(recorded["plan"], build_measure),
            recorded["the_rest"],
        )
    original.hash_while_reading()
    made = make(original, _restore_plan(settings, recorded), rest=rest)
    if is_stopped(report):  # its levels are fixed to those that were found; a new search would take as long
        made = replace(made, outcome=replace(made.outcome, free_search=None))
    front = _search_again(made, settings, recorded)
    with TemporaryDirectory(dir=memory["temporary"]) as folder:
        said = Premises.from_dict(report) if report.get("premises") else Premises()
        accepted: dict[str, Any] = {} if recipe else {"accept": said.given, "adversaries": said.adversaries}
        measured = made.write(Path(folder) / Path(files.release["name"]).name, front=front, **accepted)
        judged = recipe.judge(measured) if recipe else measured
        judged.judges_premises = "premises" in report  # a record of an earlier version has none
        document = export_document(judged, files)
    making: Document = document["making"] | {"plan": json.loads(json.dumps(record_search(settings)))}
    return document | {"making": making | _copy_unverified(recorded, settings) if is_stopped(report) else making}


def _search_again(made: AnonymizedTable, settings: SearchSettings, recorded: Document) -> Front | None:
    """Search the front of a record again, with the recorded amount of work; None if the record has no front.

    A front that a limit ended is searched up to the same level vector.
    """
    if not (before := recorded.get("front")):
        return None
    asked = replace(made, plan=replace(made.plan, levels=settings.levels))
    front = asked.front(before["work"] if before["complete"] else before["nodes"])
    return replace(front, work=before["work"])


def restore_front(making: Document, evaluation: Evaluation) -> Provenance | None:
    """Return the provenance and the front of a record; None if it has no front."""
    if not making.get("front"):
        return None
    plan, people = making["plan"], making.get("people")
    utility = Granularity() if plan["utility"] == LOSS else build_measure(plan["utility"])
    return Provenance(
        **{name: making[name] for name in PLAIN_PROVENANCE},
        plan={name: plan[name] for name in ("utility", "weights", "recoding", "levels")},
        roles=Roles(**{role: tuple(names) for role, names in making["roles"].items()}),
        suppressed=int(making["suppressed"]),
        levels=dict(making["levels"]),
        utility=Result(None, measure=utility, scope=evaluation.all_results[0].scope),
        score=float(making["score"]),
        people=people and {**people, "suppressed": int(people["suppressed"])},
        front=Front.from_dict(making["front"]),
    )


def is_stopped(report: Document) -> bool:
    """Return True if the search was stopped, so that only the release it had found can be made again."""
    proof = report["making"]["proof"]
    return bool(proof and proof["open"])


def is_reproducible(report: Document) -> bool:
    """Return True if the rows can be written in the same order again."""
    plan = report["making"]["plan"]
    return plan["order"] != "shuffled" or plan["seed"] is not None


def _read_original(recorded: Document, files: Files, memory: Mapping[str, Any]) -> Release:
    """Return the original as a release of itself, read with the recorded options."""
    record, tables = files.record, files.find_tables()
    if "original" not in tables:
        raise NotAskableError("the record names no original, so the release cannot be made again")
    path = tables["original"]
    preparing = Preparing.pick(record)
    reading = Reading.pick(record)
    opened = OpenedTable(path, open_original(path, reading, preparing, record.get("person")))
    return Release(
        opened,
        original=opened,
        population=tables.get("population"),
        hierarchies=files.find_hierarchies() or None,
        pairing="position",
        sidecar=False,
        **preparing.values(),
        **recorded["roles"],
        **{name: record[name] for name in READING if name not in ("key", "pairing")},
        **memory,
    )


def _restore_plan(settings: SearchSettings, recorded: Document) -> SearchSettings:
    """Return the plan without its time limit; of a stopped search, with the levels that it had found."""
    proof, rounds = recorded["proof"], recorded["polish_rounds"]
    levels = recorded["levels"] if proof and proof["open"] else settings.levels
    return replace(settings, time_limit=None, polish_rounds=rounds, levels=levels)


def _copy_unverified(recorded: Document, settings: SearchSettings) -> Document:
    """Return the figures of a stopped search, copied. Only the number of vectors and their sum are verified."""
    vectors = prod(len(one) for one in replace(settings, levels={}).levels_allowed(recorded["heights"]))
    closed = {name: recorded["proof"][name] for name in ("evaluated", "by_goals", "by_bound")}
    proof = {**closed, "open": vectors - sum(closed.values()), "vectors": vectors}
    better = {"better": recorded["better"]} if "better" in recorded else {}
    return {"proof": proof, "bound": recorded["bound"], "proven": False, **better}
