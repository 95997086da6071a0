"""`kepler preempt`: who would be preempted, where, and why not elsewhere."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kep_preemption.errors import PreemptionError, UsageError

if TYPE_CHECKING:
    from kep_preemption.asking import Question
    from kep_preemption.report.answer import Answer

_STRATEGIES = ("upstream", "upstream-one-candidate", "original", "fast-path")
_EPILOG = """\
exit codes: 0 the pod gets a node, 1 it gets none, 2 wrong usage or unreadable input,
3 internal error

examples:
  kubectl get nodes,pods,pdb,priorityclasses -A -o json > dump.json
  kepler preempt --cluster dump.json --pod pod.yaml
  kepler preempt --cluster dump.json --pod my-namespace/my-pending-pod --output json
  kepler preempt --scenario edge-10
  kepler preempt --synthetic nodes=200,pods_per_node=30,priorities=0:3/100:1,pdbs=5
"""


def add_preempt_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `kepler preempt` to `parser`."""
    parser.description = (
        "Say which pods kube-scheduler 1.34 would preempt for a pod, on which node, and why\n"
        "no other node was chosen. Nothing is changed: the cluster is read from files."
    )
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    _add_input(parser)
    _add_strategy(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--output", choices=("text", "json"), default="text", help="default: %(default)s"
    )
    output.add_argument(
        "--show-nodes",
        type=int,
        default=3,
        metavar="N",
        help="nodes shown for each reason in text (default: %(default)s); JSON has all",
    )
    output.add_argument(
        "--write-cluster",
        type=Path,
        metavar="FILE",
        help="write the cluster and its preemptors as a Kubernetes List, to look at or read back",
    )


def run_preempt(args: argparse.Namespace) -> int:
    """Run `kepler preempt`; returns 0 decided, 1 no node helps, 2 usage or input error."""
    try:
        return _run(args)
    except PreemptionError as error:
        if getattr(args, "verbose", False):
            raise
        print(f"error: {error.place}: {error.problem}\n  help: {error.remedy}", file=sys.stderr)
        return 2


def _add_input(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("input (one of --cluster, --scenario, --synthetic, --openb)")
    add = group.add_argument
    add(
        "--cluster",
        action="append",
        metavar="FILE",
        help="what kubectl get -o json (or yaml) printed; repeatable; gzip and - (stdin) too",
    )
    add("--scenario", metavar="NAME", help="a cluster that comes with the tool; see --list")
    add("--synthetic", metavar="PARAMETERS", help="a cluster made of name=value,...")
    add(
        "--openb",
        nargs=2,
        metavar=("NODES", "PODS"),
        help="the two CSV files of the Alibaba OpenB trace, all pods at once",
    )
    add(
        "--pod",
        metavar="POD",
        help="the pod to schedule: a manifest, or the namespace/name of one in the input "
        "(default: the pending pod of the highest priority)",
    )
    add("--list", action="store_true", help="list scenarios and parameters, then stop")
    add("--allow-unknown-nodes", action="store_true", help="let pods be on nodes not in the input")
    add(
        "--allow-unmodelled",
        action="store_true",
        help="answer although the pod uses what is not modelled; the answer says so",
    )


def _add_strategy(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("strategy")
    add = group.add_argument
    add("--strategy", choices=_STRATEGIES, default="upstream", help="default: %(default)s")
    add("--seed", type=int, default=0, metavar="N", help="for upstream's random offset (0)")
    add(
        "--all-candidates",
        action="store_true",
        default=None,
        help="upstream: try every node on which preemption might help",
    )
    add(
        "--min-candidate-nodes-percentage",
        type=int,
        metavar="N",
        help="upstream: of nodes, that many candidates are enough (10)",
    )
    add(
        "--min-candidate-nodes-absolute",
        type=int,
        metavar="N",
        help="upstream: but at least so many (100)",
    )
    add("--budget-seconds", type=float, metavar="S", help="fast-path: time for the search (0.5)")
    add(
        "--avoid-violations",
        action="store_true",
        default=None,
        help="fast-path: go on past candidates that violate a PDB",
    )


def _run(args: argparse.Namespace) -> int:
    from kep_preemption.asking import answer_question, write_cluster

    if args.list:
        _list()
        return 0
    if args.show_nodes < 0:
        raise UsageError(f"--show-nodes {args.show_nodes}", "is negative", "use 0 or more")
    with _progress() as tell:
        question = _question(args, tell)
        if args.write_cluster:
            write_cluster(question, args.write_cluster)
        tell(f"asking {args.strategy} about {len(question.loaded.cluster.nodes)} nodes")
        answer = answer_question(question)
    _print(answer, args)
    return 0 if answer.decided else 1


def _question(args: argparse.Namespace, tell: Callable[[str], None]) -> Question:
    from kep_preemption.asking import read_question
    from kep_preemption.cluster_source import ClusterSource

    options = {
        name: getattr(args, name)
        for name in (
            "all_candidates",
            "min_candidate_nodes_percentage",
            "min_candidate_nodes_absolute",
            "budget_seconds",
            "avoid_violations",
        )
        if getattr(args, name) is not None
    }
    source = ClusterSource(
        files=args.cluster or (),
        scenario=args.scenario,
        synthetic=args.synthetic,
        openb=args.openb,
        allow_unknown_nodes=args.allow_unknown_nodes,
    )
    return read_question(
        source,
        pod=args.pod,
        strategy=args.strategy,
        seed=args.seed,
        options=options,
        allow_unmodelled=args.allow_unmodelled,
        tell=tell,
    )


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is being done, on one line that is wiped at the end."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return

    def show(text: str) -> None:
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        show("")


def _print(answer: Answer, args: argparse.Namespace) -> None:
    if args.output == "json":
        from kep_preemption.report.document import to_json

        print(to_json(answer))
        return
    from kep_preemption.report.text import to_text

    width = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
    print(to_text(answer, args.show_nodes, max(40, min(width, 120))))


def _list() -> None:
    import textwrap
    from dataclasses import fields

    from kep_preemption.scenarios import scenario_descriptions
    from kep_preemption.synthetic import Shape

    print("Scenarios:")
    for name, description in scenario_descriptions().items():
        print(f"  {name}")
        print(textwrap.indent(textwrap.fill(description, 74), " " * 6))
    print("Parameters of --synthetic, with their defaults:")
    defaults = Shape()
    for field in fields(Shape):
        print(f"  {field.name}={_default(getattr(defaults, field.name))}")


def _default(value: object) -> str:
    if isinstance(value, dict):
        return "/".join(f"{priority}:{weight}" for priority, weight in value.items())
    if isinstance(value, tuple):
        return "/".join(map(str, value))
    return "(by fill)" if value is None else str(value)
