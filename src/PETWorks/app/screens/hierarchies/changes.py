"""What a form of this screen does to the policy."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

from PETWorks.app.desk import Desk
from PETWorks.app.forms import BadRequestError, Form
from PETWorks.app.project.change import Change
from PETWorks.app.project.draft import Draft
from PETWorks.app.screens.hierarchies.answer import HAND
from PETWorks.app.screens.hierarchies.hand import Tree
from PETWorks.app.screens.hierarchies.outcome import Outcome
from PETWorks.app.screens.hierarchies.present import FILE, folder_files

Settings = dict[str, Any]


class NotSaidError(Exception):
    """Something is missing in a form; the text is the key of the words that say what."""


def with_hierarchy(desk: Desk, name: str, settings: Settings | None) -> Draft:
    """Return a draft in which the hierarchy of a column is made so; None: it has none.

    If the policy names a folder of hierarchies that has a file for this column, the folder's other files are named one
    by one in its place: a column has one hierarchy only.
    """
    draft, files = desk.draft, folder_files(desk)
    if name in files:
        for other, path in files.items():
            if other != name and other in desk.columns:
                file = os.path.relpath(path, desk.folder.resolve()).replace(os.sep, "/")
                draft = draft.with_rule(other, {FILE: file})
        draft = draft.with_data(hierarchies=None)
    key = next((one for one in draft.rules if one.strip() == name), name)
    return draft.with_rule(key, settings)


def fixed(desk: Desk, view: Outcome, fix: str) -> tuple[Change, Draft]:
    """Return what a button does that gives values a place: those that may be named."""
    present, least = view.present, view.least
    at, name, settings = f"/hierarchies/{present.number}", present.name, {**present.settings}
    lacking = present.coverage.lacking if present.coverage else {}
    values = [str(value) for value, people in lacking.items() if people >= least]
    if fix in ("star", "error"):
        value = "generalised" if fix == "star" else None
        return Change(f"hierarchies_{fix}", at=at), desk.draft.with_data(unknown_values=value)
    if fix == "end" and present.kind == "ordered":
        several = settings["sizes"] if isinstance(settings["sizes"], list) else [settings["sizes"]]
        sizes = [[*one, len(values)] if isinstance(one, list) else one for one in several]
        settings |= {"ordered": [*settings["ordered"], *values], "sizes": sizes}
    elif fix == "rest" and present.kind == HAND:
        settings[HAND] = {**settings[HAND], **dict.fromkeys(values, str(view.say("hierarchies_other")))}
    elif fix == "copy" and present.hierarchy and (links := _links(view)):
        settings = {HAND: links}
    else:
        raise BadRequestError("there is nothing to fix in this way")
    kind = HAND if HAND in settings else present.kind
    return Change("hierarchies_rule", at=at, column=name, hierarchies_made=kind), with_hierarchy(desk, name, settings)


def _links(view: Outcome) -> dict[str, str]:
    """Return the groups of the present hierarchy as parents, to go on by hand; values of few people are left out."""
    links: dict[str, str] = {}
    for leaf, *groups in view.present.hierarchy.rows() if view.present.hierarchy else ():
        if leaf is not None and view.present.counts.get(leaf, 0) >= view.least:
            path = [leaf, *(view.told(group or "") for group in groups[:-1])]
            links |= {low: high for low, high in pairwise(path) if low and high and low != high}
    return links


def grouped(tree: Tree, form: Form) -> dict[str, str]:
    """Return the groups after what a form does: names are changed, and what is selected goes where it is put."""
    names = {group: form.get(f"group-{number}").strip() or group for number, group in enumerate(tree.groups)}
    renamed = {old: new for old, new in names.items() if new != old}
    if any(new in tree.counts for new in renamed.values()):
        raise NotSaidError("hierarchies_name_is_value")
    after = Tree(tree.renamed(renamed), tree.counts, tree.least) if renamed else tree
    nodes = [*_chosen(form, "value", tree.values), *(names[one] for one in _chosen(form, "node", tree.groups))]
    action = form.get("action")
    if action == "enter":  # the key: in the field of a new group, or in that of a name
        action = "new" if form.get("new").strip() else "rename"
    if action in ("", "rename"):
        return dict(after.mapping)
    if not nodes:
        raise NotSaidError("hierarchies_nothing_selected")
    if action == "out":
        return after.taken_out(nodes)
    if action not in ("put", "new"):
        raise BadRequestError("nothing is done in this way")
    group = form.get("new").strip() if action == "new" else next(iter(_chosen(form, "to", [*names.values()])), "")
    if not group:
        raise NotSaidError("hierarchies_no_name")
    if group in tree.counts and group not in (*nodes, *tree.groups):  # the value would join unasked
        raise NotSaidError("hierarchies_name_is_value")
    return after.put(nodes, group)


def _chosen(form: Form, field: str, known: list[str]) -> list[str]:
    """Return what was chosen, by numbers that the page has in place of values and names."""
    places = [int(one) for one in form.all(field) if one.isascii() and one.isdecimal() and len(one) < 9]  # noqa: PLR2004
    return [known[place] for place in places if place < len(known)]
