"""The production readiness questionnaire by stage, in headings and in bold list items."""

from __future__ import annotations

import pytest
from readme_samples import complete_readme, found, make_kep, parse

from kep_validator.prr_answers import find_answers
from kep_validator.releases.loading import load_release
from kep_validator.template_match import begins_alike, item_key
from kep_validator.template_text import Content, content_of, line_digest
from kep_validator.titles import same_but_for_typos

GUIDE = load_release("1.34")
COMPLETE = complete_readme(GUIDE)
ENABLED, DEFAULT, REENABLED = (GUIDE.prr_questions[index].text for index in (0, 1, 3))
WORKING = "How can someone using this feature know that it is working for their instance?"
FIRST = "Feature Enablement and Rollback"


def replaced(old: str, new: str) -> str:
    assert old in COMPLETE
    return COMPLETE.replace(old, new)


def questions(stage: str, *codes: str, text: str = COMPLETE) -> list[tuple[str, str]]:
    kep = make_kep(text, stage=stage)
    return [each[:2] for each in found(kep, GUIDE, *(codes or ("KEP30",)))]


@pytest.mark.parametrize("question", GUIDE.prr_questions, ids=lambda question: question.id)
@pytest.mark.parametrize("stage", ["alpha", "beta", "stable"])
def test_each_question_is_asked_for_by_its_stage(stage: str, question: object) -> None:
    asked = next(q for q in GUIDE.prr_questions if q == question)
    if stage != "alpha" or asked.section == FIRST:
        severity = "error"
    else:
        severity = "info" if asked.section == "Scalability" else ""
    lacking = replaced(f"###### {asked.text}\n\nAn answer to {asked.id}.\n\n", "")
    empty = replaced(f"An answer to {asked.id}.\n", "")
    comment = replaced(f"An answer to {asked.id}.\n", "<!-- how? -->\n")
    put_off = replaced(f"An answer to {asked.id}.\n", "- TBD\n")
    for text, code in (
        (lacking, "KEP301"),
        (empty, "KEP302"),
        (comment, "KEP303"),
        (put_off, "KEP306"),
    ):
        assert questions(stage, text=text) == ([(code, severity)] if severity else [])


def test_nothing_is_asked_of_a_provisional_kep() -> None:
    kep = make_kep("# KEP-9999: x\n\n## Summary\n\nA.\n", status="provisional")
    assert found(kep, GUIDE, "KEP30") == []


def test_no_two_questions_or_sections_are_taken_for_each_other() -> None:
    keys = [item_key(item) for item in (*GUIDE.prr_questions, *GUIDE.sections)]
    assert len(set(keys)) == len(keys)
    for index, key in enumerate(keys):
        for other in keys[:index]:
            assert not same_but_for_typos(key, other)
            assert not begins_alike(key, other)


BULLETS = """\
# KEP-9999: x

### Feature Enablement and Rollback

* **How can this feature be enabled / disabled in a live cluster?**
  - [x] Feature gate
    - Feature gate name: Sample

* **Does enabling the feature change any
  default behavior?** No.

- **Can the feature be disabled once it has been enabled (i.e. can we roll back
  the enablement)?**

**What happens if we re-enable the feature?** It works.

* **Are there any tests for feature enablement/disablement?
  Yes.
"""


def test_bold_list_items_are_questions() -> None:
    answers = find_answers(parse(BULLETS), GUIDE)
    rows = [(key, each.span.line, each.first_line, each.content) for key, each in answers.items()]
    assert rows == [
        ("prr-01", 5, 5, Content.OWN),
        ("prr-02", 9, 10, Content.OWN),
        ("prr-03", 12, 13, Content.EMPTY),
        ("prr-04", 15, 15, Content.OWN),
        ("prr-05", 17, 17, Content.OWN),
    ]
    kep = make_kep(BULLETS, stage="alpha")
    assert [each[0] for each in found(kep, GUIDE, "KEP301", "KEP302")] == ["KEP302"]


@pytest.mark.parametrize(
    "heading",
    [
        f"###### {REENABLED.replace('reenable', 're-enable')}",
        f"#### {REENABLED.upper()}",
        f"###### {REENABLED.removesuffix('?')}",
        f"###### {REENABLED} And then?",
        "###### What happens if we reenable the feature",
        f"**{REENABLED}**",
        f"* **{REENABLED}**",
    ],
)
def test_wordings_that_count(heading: str) -> None:
    assert questions("alpha", text=replaced(f"###### {REENABLED}", heading)) == []


def test_a_beginning_that_fits_several_questions_is_none_of_them() -> None:
    beginning = "Will enabling / using this feature result in any"
    for asked in (f"* **{beginning}** No.", f"#### {beginning}\n\nNo."):
        assert find_answers(parse(f"### Scalability\n\n{asked}\n"), GUIDE) == {}


def test_an_answer_with_headings_of_its_own_is_not_empty() -> None:
    text = replaced("An answer to prr-02.\n", "####### no heading\n")
    assert questions("alpha", text=text) == []
    text = replaced("###### " + DEFAULT + "\n\nAn answer", "#### " + DEFAULT + "\n\n##### On\n\nAn")
    assert questions("alpha", text=text) == []


FIELDS = [
    ("- [x] Events\n  - Event Reason: Booted", []),
    ("- [x] Events\n  - Event Reason:", [("KEP304", "warning")]),
    ("- [x] Events\n  - Event Reason: <!-- which? -->", [("KEP304", "warning")]),
    ("- [x] Events\n  - **Event Reason:**", [("KEP304", "warning")]),
    ("- [x] Events\n  - Event Reason:\n    - Booted", []),
    ("- [x] Events\n  - Event Reason:\n    Booted", []),
    ("- [x] Events\n  - Event Reason:\n  - Booted", [("KEP304", "warning")]),
    ("- [X] Events\n  - Event Reason: A\n- [ ] Other\n  - Details:", [("KEP304", "info")]),
    ("- [ ] Events\n  - Event Reason: A", [("KEP307", "warning")]),
    ("Event Reason:\n\nBooted.", []),
    ("```\nEvent Reason:\n```", [("KEP303", "error")]),
    ("- [ ](link) is no box", []),
    ("N/A", [("KEP305", "warning")]),
    ("- **Not applicable.**", [("KEP305", "warning")]),
    ("N/A: nothing to see", []),
    ("No", []),
]


@pytest.mark.parametrize(("answer", "expected"), FIELDS)
def test_options_and_fields(answer: str, expected: list[tuple[str, str]]) -> None:
    text = replaced("An answer to prr-11.", answer)
    assert questions("beta", text=text) == expected
    assert questions("alpha", text=text) == []


@pytest.mark.parametrize(
    ("lines", "content"),
    [
        (["", "  "], Content.EMPTY),
        (["- [ ] API .status", "  - condition NAME:"], Content.TEMPLATE),
        (["- [ ] API .status", "  - Condition name: Ready"], Content.OWN),
        (["---"], Content.TEMPLATE),
        (["TBD", "x"], Content.OWN),
        (["`todo`."], Content.PUT_OFF),
        (["?"], Content.TEMPLATE),
        (["No"], Content.OWN),
    ],
)
def test_content(lines: list[str], content: Content) -> None:
    assert content_of(lines, lines, GUIDE) is content


def test_digests_ignore_case_blanks_and_punctuation() -> None:
    assert line_digest("  - Metric  NAME:") == line_digest("metric name")
    assert line_digest("- a:") == ""
