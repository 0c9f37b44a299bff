"""Draft a policy: the roles that were suggested or decided, with their reasons as comments.

Undecided columns have no role: `check` and `anonymize` then name them, and ask for requirements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PETWorks.facts.notes import Name
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.suggestion import Suggestion
from PETWorks.hierarchies.value_rules import Ordered
from PETWorks.inspection.findings import PrepareFinding, join_settings
from PETWorks.inspection.inspection import InspectedColumn, Inspection
from PETWorks.policy.toml import Comment, Content, DecimalLiteral, Noted, put_tables_last, toml_text
from PETWorks.presentation import Language
from PETWorks.render.inspection import InspectionWriter, sort_for_decision

LISTS = {  # the keys under [roles]
    "identifiers": Role.IDENTIFIER,
    "quasi_identifiers": Role.QUASI_IDENTIFIER,
    "sensitive": Role.SENSITIVE_ATTRIBUTE,
    "insensitive": Role.INSENSITIVE_ATTRIBUTE,
}
EXAMPLES = ({"measure": "k-anonymity", "k": 5}, {"measure": "l-diversity", "l": 2})  # the second for sensitive columns
OF_SYNTHETIC = ("replicated uniques", "attribute disclosure")  # likewise, of a synthetic table
SUPPRESSED = "5%"


@dataclass(frozen=True)
class Start:
    """The content of a drafted policy: the table, the roles, and other decisions."""

    inspection: Inspection
    title: str
    data: Mapping[str, Any]  # the keys under [data]
    roles: Mapping[str, Role]  # what was suggested or decided
    hierarchies: Mapping[str, Suggestion] = field(default_factory=dict)
    requirements: Sequence[Mapping[str, Any]] = ()
    template: str = ""  # text that follows, with the requirements of a template
    language: Language = "en"
    findings: Sequence[PrepareFinding] = ()  # what was found in the raw table
    accepted: Sequence[PrepareFinding] = ()  # those of them that are put right
    synthetic: bool = False  # True: a synthetic table is judged, and nothing is anonymised

    @property
    def open(self) -> list[InspectedColumn]:
        """The columns whose role is undecided."""
        return [column for column in sort_for_decision(self.inspection) if column.name not in self.roles]

    def text(self) -> str:
        """Write the policy file."""
        say = InspectionWriter(self.language).say
        content: Content = {
            Comment(say("policy_head", table=Name(self.inspection.name))): None,
            "version": 1,
            "title": self.title,
            "data": {**self.data, **self._name_person()},
            **self._prepare(),
            Comment(say("policy_roles")): None,
            "roles": self._roles(),
            **self._hierarchies(),
            **self._requirements(),
            **self._anonymize(),
            "report": {"language": self.language, "html": "report.html"},
        }
        if not self.template:
            return toml_text(content)
        return f"{toml_text(content)}\n# {say('policy_template')}\n{self.template.strip()}\n"

    def _name_person(self) -> Content:
        """Return the column that seems to say whose row each is; as a comment if it has another role."""
        person = self.inspection.person
        if person is None or "person" in self.data:
            return {}
        note = InspectionWriter(self.language).say("policy_person")
        if self.roles.get(person) is Role.IDENTIFIER:
            return {"person": Noted(person, note)}
        return {Comment(f"{note}\n{toml_text({'person': person}).strip()}", apart=True): None}

    def _prepare(self) -> Content:
        """Return the [prepare] tables; findings that were not accepted become comments that readers see."""
        writer = InspectionWriter(self.language)
        left = [one for one in self.findings if one not in self.accepted]
        seen = [f"{writer.say('policy_left')} {writer.write_finding(one)}" for one in left]
        comment: dict[str | Comment, Any] = {Comment("\n".join(seen), apart=True): None} if seen else {}
        if not self.accepted:
            return comment
        prepare = put_tables_last(join_settings(self.accepted))
        return {**comment, Comment(writer.say("policy_prepare")): None, "prepare": prepare}

    def _roles(self) -> Content:
        findings, suggested = InspectionWriter(self.language), self.inspection.roles
        content: dict[str | Comment, Any] = {}
        for key, role in LISTS.items():
            names = [column for column in self.inspection if self.roles.get(column.name) is role]
            yours, why = findings.say("policy_yours"), findings.write_reasons
            content[key] = [Noted(one.name, why(one) if suggested.get(one.name) is role else yours) for one in names]
        if self.open:
            lines = [f'"{column.name}": {findings.write_reasons(column)}' for column in self.open]
            content[Comment("\n".join([findings.say("policy_open"), *lines]))] = None
        return content

    def _hierarchies(self) -> Content:
        """Return the suggested rules; those that need a decision become comments."""
        rules: dict[str | Comment, Any] = {}
        for name, one in self.hierarchies.items():
            told = one.text(self.language)
            if one.rule and not one.question:
                rules[name] = Noted(one.rule.settings(), told)
            elif one.rule and not isinstance(one.rule, Ordered):  # which would list values, also of few people
                rule = toml_text({"hierarchies": {name: one.rule.settings()}})
                rules[Comment(f"{told}\n{rule.strip()}", apart=True)] = None
            else:
                rules[Comment(told, apart=True)] = None
        clear = any(not isinstance(key, Comment) for key in rules)
        return {"hierarchies": rules} if clear else rules

    def _anonymize(self) -> Content:
        if self.synthetic:
            return {}
        comment = Comment(InspectionWriter(self.language).say("policy_suppress"))
        return {"anonymize": {comment: None, "suppress_at_most": SUPPRESSED}}

    def _requirements(self) -> Content:
        if self.requirements or self.template:
            return {"require": list(self.requirements)} if self.requirements else {}
        several = Role.SENSITIVE_ATTRIBUTE in self.roles.values()
        examples: Sequence[Mapping[str, object]] = EXAMPLES
        if self.synthetic:
            limit = "max_excess" if "holdout" in self.data else "max_share"
            examples = tuple({"measure": name, limit: DecimalLiteral("0.01")} for name in OF_SYNTHETIC)
        example = toml_text({"require": list(examples if several else examples[:1])}).strip()
        return {Comment(f"{InspectionWriter(self.language).say('policy_require')}\n{example}", apart=True): None}
