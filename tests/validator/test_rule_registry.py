"""The list of rules is complete and its entries are fit to print."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re

import pytest

import kep_validator.rules
from kep_validator.rules import ALL_RULES, all_metas
from kep_validator.rules.base import Rule, RuleMeta


def rule_classes() -> set[type[Rule]]:
    found = set()
    for module in pkgutil.iter_modules(kep_validator.rules.__path__):
        members = importlib.import_module(f"kep_validator.rules.{module.name}")
        for _, member in inspect.getmembers(members, inspect.isclass):
            if (
                issubclass(member, Rule)
                and not inspect.isabstract(member)
                and "meta" in vars(member)
            ):
                found.add(member)
    return found


def test_no_rule_is_forgotten() -> None:
    forgotten = rule_classes() - {type(rule) for rule in ALL_RULES}
    assert not forgotten, f"add to ALL_RULES: {sorted(cls.__name__ for cls in forgotten)}"


def test_no_code_or_name_is_used_twice() -> None:
    metas = all_metas()
    assert len({meta.code for meta in metas}) == len(metas)
    assert len({meta.name for meta in metas}) == len(metas)


@pytest.mark.parametrize("meta", all_metas(), ids=lambda meta: meta.code)
def test_meta_is_complete(meta: RuleMeta) -> None:
    assert re.fullmatch(r"KEP[0-9]{3}", meta.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", meta.name)
    assert meta.summary.endswith(".")
    assert len(meta.summary) <= 100
    assert len(meta.explanation) > 30
    assert meta.source
    assert not meta.since or re.fullmatch(r"1\.[0-9]+", meta.since)


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.meta.code)
def test_rule_says_what_it_does(rule: Rule) -> None:
    assert inspect.getdoc(type(rule))
