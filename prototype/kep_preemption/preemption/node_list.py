"""The API's list of nodes, simulated: the objects go through JSON and back, without a network.

What a real list costs beyond that (the server's work, the connection, watch cache or etcd) is
not imitated, so a time that contains this list is a lower bound.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from kep_preemption.objects import CPU, Node, Taint


class SimulatedNodeApi:
    """Serves `nodes` as `GET /api/v1/nodes` does: as JSON, in the order of their names."""

    simulated = True

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = sorted(nodes, key=lambda node: node.name)
        self.lists = 0

    def list_nodes(self) -> tuple[Node, ...]:
        """Serialise all nodes, parse the text and return the nodes made from it."""
        self.lists += 1
        text = json.dumps({"kind": "NodeList", "items": [_encode(node) for node in self._nodes]})
        return tuple(_decode(item) for item in json.loads(text)["items"])


def _encode(node: Node) -> dict[str, Any]:
    return {
        "metadata": {"name": node.name, "labels": dict(node.labels)},
        "spec": {
            "unschedulable": node.unschedulable,
            "taints": [
                {"key": taint.key, "value": taint.value, "effect": taint.effect}
                for taint in node.taints
            ],
        },
        "status": {
            "allocatable": {
                name: f"{amount}m" if name == CPU else str(amount)
                for name, amount in node.allocatable.items()
            }
        },
    }


def _decode(item: dict[str, Any]) -> Node:
    spec = item["spec"]
    return Node(
        name=item["metadata"]["name"],
        allocatable={
            name: int(amount.removesuffix("m"))
            for name, amount in item["status"]["allocatable"].items()
        },
        labels=item["metadata"]["labels"],
        taints=tuple(Taint(t["key"], t["value"], t["effect"]) for t in spec["taints"]),
        unschedulable=spec["unschedulable"],
    )
