"""An existing dask.distributed cluster, whose workers play parts through joblib's dask backend.

dask is imported where it is asked for alone: it is an extra.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from collections.abc import Iterator
from typing import Any

from simulate.errors import Option, RunError

#: Seconds to wait for the scheduler to answer, and for workers to be there.
ANSWER_SECONDS = 10.0
WORKER_SECONDS = 30.0
#: Seconds between two looks at whether the cluster is well.
_LOOK_SECONDS = 1.0


class ClusterError(RunError):
    """A cluster that was lost while it played."""


def check_scheduler(scheduler: str) -> str:
    """Address of the scheduler: the one given, or that of dask's own settings.

    Raises
    ------
    RunError
        When dask is not installed, or no scheduler is named.
    """
    try:
        import dask
        import distributed  # noqa: F401
    except ImportError:
        raise RunError(
            "backend dask needs dask.distributed, which is not installed: "
            'pip install "sviten[dask]"'
        ) from None
    address = scheduler or dask.config.get("scheduler-address", None)
    if not address:
        raise RunError(
            "backend dask works on a cluster that is there: name it, ",
            Option("scheduler", "tcp://HOST:8786"),
            ", or set DASK_SCHEDULER_ADDRESS",
        )
    return str(address)


class Cluster:
    """A cluster that has answered.

    Parameters
    ----------
    address : str
    client : distributed.Client

    Attributes
    ----------
    address : str
    client : distributed.Client
    """

    def __init__(self, address: str, client: Any) -> None:
        self.address = address
        self.client = client
        self._looked = time.monotonic()
        self._had_workers = self._looked

    @property
    def cores(self) -> int:
        """Threads of all workers."""
        return sum(self.client.ncores().values())

    def check(self) -> None:
        """Raise ClusterError where work that was handed out will not come back."""
        now = time.monotonic()
        if now < self._looked + _LOOK_SECONDS:
            return
        self._looked = now
        if self.client.status != "running":
            raise ClusterError(f"the scheduler at {self.address} is gone")
        if any(state.status in ("error", "lost") for state in list(self.client.futures.values())):
            raise ClusterError(
                f"workers of {self.address} were killed again and again while they played the same "
                "part, or ran out of memory"
            )
        if self.client.scheduler_info()["workers"]:
            self._had_workers = now
        elif now > self._had_workers + WORKER_SECONDS:
            raise ClusterError(f"the scheduler at {self.address} has no workers left")


@contextlib.contextmanager
def reach_cluster(scheduler: str) -> Iterator[Cluster]:
    """Connect to a cluster that has workers.

    Raises
    ------
    RunError
        When dask is not installed, the scheduler does not answer, or has no workers.
    """
    address = check_scheduler(scheduler)
    _knock(address)
    from distributed import Client

    with _quiet():
        try:
            client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RunError(f"no scheduler answers at {address}: {_first_line(error)}") from None
        try:
            try:
                client.wait_for_workers(1, timeout=ANSWER_SECONDS)
            except TimeoutError:
                raise RunError(f"the scheduler at {address} has no workers: start some") from None
            yield Cluster(address, client)
        finally:
            client.close(timeout=ANSWER_SECONDS)


def _knock(address: str) -> None:
    """Raise RunError where nothing listens: a client would try for long, and not end well."""
    from distributed.comm import get_address_host_port

    protocol = address.partition("://")[0]
    if "://" in address and protocol not in {"tcp", "tls"}:
        return
    try:
        host, port = get_address_host_port(address, strict=True)
    except ValueError:
        raise RunError(f"{address!r} is no address of a scheduler: write tcp://HOST:8786") from None
    try:
        socket.create_connection((host, port), ANSWER_SECONDS).close()
    except OSError as error:
        raise RunError(f"no scheduler answers at {address}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep dask from logging: what goes wrong is told in a line of ours."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
