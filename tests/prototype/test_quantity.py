from __future__ import annotations

from decimal import ROUND_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_preemption.quantity import (
    INT64_MAX,
    INT64_MIN,
    format_bytes,
    format_milli,
    milli,
    parse_quantity,
    quantity_of,
    whole,
)

# text, in thousandths, in units: both rounded away from zero.
VALUES = [
    ("0", 0, 0),
    ("1", 1000, 1),
    ("250m", 250, 1),
    ("0.5", 500, 1),
    (".25", 250, 1),
    ("1.", 1000, 1),
    ("1.0005", 1001, 2),
    ("100u", 1, 1),
    ("1n", 1, 1),
    ("0.1n", 1, 1),
    ("1e-12", 1, 1),
    ("1500m", 1500, 2),
    ("1e3", 10**6, 1000),
    ("1E3", 10**6, 1000),
    ("1e+3", 10**6, 1000),
    ("1e-1", 100, 1),
    ("129e6", 129 * 10**9, 129 * 10**6),
    ("2k", 2 * 10**6, 2000),
    ("3M", 3 * 10**9, 3 * 10**6),
    ("4G", 4 * 10**12, 4 * 10**9),
    ("1T", 10**15, 10**12),
    ("1P", 10**18, 10**15),
    ("1E", INT64_MAX, 10**18),
    ("1Ki", 1024_000, 1024),
    ("1.5Gi", 1536 * 1024**2 * 1000, 1536 * 1024**2),
    ("1Ei", INT64_MAX, 1024**6),
    ("8Ei", INT64_MAX, INT64_MAX),
    ("1e30", INT64_MAX, INT64_MAX),
    ("1e999999999", INT64_MAX, INT64_MAX),
    ("1e-999999999", 1, 1),
    ("-1", -1000, -1),
    ("-0.0005", -1, -1),
    ("-9e30", INT64_MIN, INT64_MIN),
    ("+5", 5000, 5),
    ("007", 7000, 7),
]


@pytest.mark.parametrize(("text", "thousandths", "units"), VALUES)
def test_values(text: str, thousandths: int, units: int) -> None:
    assert milli(parse_quantity(text)) == thousandths
    assert whole(parse_quantity(text)) == units


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" 1", "space"),
        ("1 Gi", "no unit"),
        ("1GB", "'GB'"),
        ("1gi", "'gi'"),
        ("1K", "'K'"),
        ("4GiB", "'GiB'"),
        ("half", "does not begin with a number"),
        (".", "does not begin with a number"),
        ("-", "does not begin with a number"),
        ("1.5.2", "no unit"),
        ("1e", "no unit"),
        ("1e5m", "no unit"),
        ("١", "does not begin with a number"),
        ("1" * 300, "longer than"),
        ("NaN", "does not begin"),
        ("0x10", "no unit"),
    ],
)
def test_faults_say_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("value", "nanos"),
    [(2, 2 * 10**9), (0.1, 10**8), (1e16, 10**25), (1e-07, 100), (None, 0), ("2", 2 * 10**9)],
)
def test_numbers_of_json_and_yaml(value: object, nanos: int) -> None:
    assert quantity_of(value) == nanos


@pytest.mark.parametrize("value", [True, [], {}, float("nan"), float("inf")])
def test_other_types_are_no_quantity(value: object) -> None:
    with pytest.raises(ValueError, match=r"no quantity|begin with"):
        quantity_of(value)


@given(st.integers(min_value=0, max_value=INT64_MAX))
def test_what_is_written_reads_back(value: int) -> None:
    assert whole(parse_quantity(format_bytes(value))) == value
    assert milli(parse_quantity(format_milli(value))) == value


@given(
    st.decimals(min_value=0, max_value=10**9, allow_nan=False, places=12),
    st.sampled_from([("", 0), ("m", -3), ("k", 3), ("M", 6), ("u", -6)]),
)
def test_rounds_up_as_exact_arithmetic_does(number: Decimal, suffix: tuple[str, int]) -> None:
    exact = number.scaleb(suffix[1])
    nanos = parse_quantity(f"{number:f}{suffix[0]}")
    assert nanos == int((exact * 10**9).to_integral_value(ROUND_UP))
    # Upstream rounds to nanos when it reads, and again when it is asked.
    assert milli(nanos) == int((Decimal(nanos) / 10**6).to_integral_value(ROUND_UP))


@given(st.text(max_size=12))
def test_any_text_is_a_number_or_a_fault(text: str) -> None:
    try:
        assert isinstance(parse_quantity(text), int)
    except ValueError as error:
        assert str(error)
