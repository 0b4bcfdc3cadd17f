"""What ends the work of a cluster."""

from __future__ import annotations


class ClusterError(Exception):
    """A worker, or what it was sent, is lost or wrong: nothing can be said of the model."""


class WorkerLost(ClusterError):
    """A worker has died. Those that are left have nothing to reproach themselves with: others may go on."""
