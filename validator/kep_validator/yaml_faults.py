"""What can be wrong with a YAML file, and how to mend its syntax."""

from __future__ import annotations

from enum import StrEnum

_SYNTAX_HINTS = (
    ("found character '@'", 'put handles in quotes, for example "@alice"'),
    ("found character '`'", "put the value in quotes: a backquote cannot start a plain value"),
    ("found character '%'", "put the value in quotes: a percent sign cannot start a plain value"),
    ("found character '\\t'", "indent with blanks: YAML forbids tabs for indentation"),
    (
        "mapping values are not allowed",
        "put values that hold `: ` in quotes, and check that "
        "keys of one mapping start in the same column",
    ),
    ("could not find expected ':'", "check for a missing colon, or for a quote left open above"),
    ("found unexpected end of stream", "close the quote or bracket that is open"),
    ("did not find expected key", "check the indentation here, and for a quote closed too early"),
    ("did not find expected '-' indicator", "give all items of the list the same indentation"),
    ("control characters", "remove the control character (often pasted in unseen)"),
    ("found undefined alias", "put the value in quotes: a leading `*` means a YAML alias"),
    ("maximum nesting depth", "remove the needless nesting"),
)


class Fault(StrEnum):
    """What kind of thing is wrong with a file."""

    SYNTAX = "syntax"
    ROOT = "root"
    DUPLICATE = "duplicate key"


def hint_for(problem: str) -> str:
    """Return how to mend what the YAML parser complains of."""
    return next((hint for part, hint in _SYNTAX_HINTS if part in problem), "check the syntax")
