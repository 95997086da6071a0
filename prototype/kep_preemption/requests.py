"""What a pod asks of a node (component-helpers/resource `PodRequests` of 1.34).

Containers and sidecars (init containers that restart always) count together; a plain init
container counts with the sidecars before it, and the larger of the two wins for each resource.
Pod-level requests for CPU, memory and huge pages replace that sum, and the overhead comes on top.
Rounding up happens once, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from kep_preemption.loading.fields import FieldError, Fields, each, mapping, text
from kep_preemption.loading.resources import ResourceList, resource_list, rounded
from kep_preemption.objects import CPU, MEMORY, HostPort

# What a container's status says it has, and what was allocated to it.
_Held = tuple[ResourceList, ResourceList]
_NO_PORTS: list[HostPort | None] = []


def pod_requests(
    spec: Fields, status: Fields | None = None, *, apply_defaults: bool = False
) -> Mapping[str, int]:
    """Return the requests of a pod: CPU in millicores, other resources in units.

    With `status`, as for a bound pod, a container whose status shows resources counts as the
    largest of spec, status and allocated (in-place resize); if the resize is infeasible, spec is
    left out. With `apply_defaults`, limits stand in for missing requests, as the API server's
    defaulting has it.

    Raises:
        FieldError: a field of `spec` makes no sense, or one of `status`, which is then said.
    """
    try:
        statuses = _statuses(status) if status else {}
        infeasible = bool(statuses) and _resize_infeasible(status or {})
    except FieldError as error:
        raise error.within("status") from None

    def of(container: Fields) -> ResourceList:
        asked = _requests(container, apply_defaults)
        return _effective(asked, statuses.get(text(container, "name")), infeasible)

    total: dict[str, int] = {}
    for asked in each(spec, "containers", of):
        _add(total, asked)
    if spec.get("initContainers"):
        # A plain init container has no resize.
        plain = partial(_requests, apply_defaults=apply_defaults)
        init = each(
            spec, "initContainers", lambda c: (s := is_sidecar(c), of(c) if s else plain(c))
        )
        _add_init_containers(total, init)
    _replace_by_pod_level(total, spec, apply_defaults)
    if spec.get("overhead"):
        _add(total, resource_list(spec, "overhead"))
    return rounded(total)


def host_ports(spec: Fields, *, apply_defaults: bool = False) -> tuple[HostPort, ...]:
    """Return the host ports of containers and sidecars (component `GetHostPorts`).

    With `apply_defaults`, a pod on the host's network claims each container port on the host.

    Raises:
        FieldError: a field of `spec` makes no sense.
    """
    on_host = apply_defaults and spec.get("hostNetwork") is True

    def of(port: Fields) -> HostPort | None:
        number = port.get("hostPort") or (port.get("containerPort") if on_host else 0) or 0
        if type(number) is not int or not 0 <= number < 65536:
            raise FieldError("hostPort", f"is {number!r:.40}", "use a port number up to 65535")
        if not number:
            return None
        return HostPort(text(port, "hostIP") or "0.0.0.0", text(port, "protocol") or "TCP", number)  # noqa: S104

    def of_container(container: Fields) -> list[HostPort | None]:
        return each(container, "ports", of) if container.get("ports") else _NO_PORTS

    found = each(spec, "containers", of_container)
    if spec.get("initContainers"):
        found += each(spec, "initContainers", lambda c: of_container(c) if is_sidecar(c) else [])
    return tuple([port for ports in found for port in ports if port]) if any(found) else ()


def is_sidecar(container: Fields) -> bool:
    """Tell whether an init container is a sidecar: it restarts always."""
    return container.get("restartPolicy") == "Always"


def _requests(owner: Fields, apply_defaults: bool) -> ResourceList:
    resources = mapping(owner, "resources")
    try:
        asked = resource_list(resources, "requests")
        if apply_defaults:
            limits = resource_list(resources, "limits")
            return {**limits, **asked} if limits else asked
    except FieldError as error:
        raise error.within("resources") from None
    return asked


def _add_init_containers(
    total: dict[str, int], containers: list[tuple[bool, ResourceList]]
) -> None:
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for sidecar, asked in containers:
        if sidecar:
            _add(total, asked)
            _add(sidecars, asked)
            _raise_to(peak, sidecars)
        else:
            together = dict(sidecars)
            _add(together, asked)
            _raise_to(peak, together)
    _raise_to(total, peak)


def _replace_by_pod_level(total: dict[str, int], spec: Fields, apply_defaults: bool) -> None:
    if spec.get("resources") is None:
        return
    asked = _requests(spec, apply_defaults=False)
    total.update({name: nanos for name, nanos in asked.items() if _is_pod_level(name)})
    if apply_defaults:
        # A pod-level limit stands in only where no container asks either (defaultPodRequests).
        for name, nanos in _requests(spec, apply_defaults=True).items():
            if _is_pod_level(name):
                total.setdefault(name, nanos)


def _is_pod_level(name: str) -> bool:
    return name in (CPU, MEMORY) or name.startswith("hugepages-")


def _statuses(status: Fields) -> dict[str, _Held]:
    found: dict[str, _Held] = {}

    def note(container: Fields) -> None:
        if container.get("resources") is not None:
            current = _requests(container, apply_defaults=False)
            found[text(container, "name")] = (
                current,
                resource_list(container, "allocatedResources"),
            )

    each(status, "containerStatuses", note)
    each(status, "initContainerStatuses", note)
    return found


def _resize_infeasible(status: Fields) -> bool:
    pending = (
        text(condition, "reason")
        for condition in each(status, "conditions", lambda c: c)
        if condition.get("type") == "PodResizePending"
    )
    return next(pending, "") == "Infeasible"


def _effective(asked: ResourceList, held: _Held | None, infeasible: bool) -> ResourceList:
    if held is None:
        return asked
    current, allocated = held
    if current == allocated and (infeasible or asked == current):
        return current
    largest = {} if infeasible else dict(asked)
    _raise_to(largest, current)
    _raise_to(largest, allocated)
    return largest


def _add(total: dict[str, int], more: ResourceList) -> None:
    for name, nanos in more.items():
        total[name] = total.get(name, 0) + nanos


def _raise_to(total: dict[str, int], least: ResourceList) -> None:
    for name, nanos in least.items():
        if nanos > total.get(name, -1):
            total[name] = nanos
