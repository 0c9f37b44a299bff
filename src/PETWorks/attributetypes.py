"""The roles under their older names, for ``from PETWorks.attributetypes import QUASI_IDENTIFIER``."""

from PETWorks.facts.roles import Role

IDENTIFIER = Role.IDENTIFIER
QUASI_IDENTIFIER = Role.QUASI_IDENTIFIER
SENSITIVE_ATTRIBUTE = Role.SENSITIVE_ATTRIBUTE
INSENSITIVE_ATTRIBUTE = Role.INSENSITIVE_ATTRIBUTE
