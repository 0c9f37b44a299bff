"""Describe the machine, and the versions of the packages that were measured."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import environment

PACKAGES = ("petworks", "numpy", "pyarrow", "duckdb", "pandas", "polars", "narwhals")


def facts(*, pycanon: bool) -> dict[str, object]:
    """Return the machine's hardware, system, versions of packages, and load before measuring."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES} | (_pycanon() if pycanon else {}),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _pycanon() -> dict[str, str]:
    """Return the versions of pycanon and of its pandas; an empty dict if pycanon could not be installed."""
    query = "import importlib.metadata as m; print(m.version('pycanon'), m.version('pandas'))"
    try:
        command = [str(environment.python()), "-c", query]
        done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")  # noqa: S603
    except environment.UnavailableError:
        return {}
    own, pandas = done.stdout.split()
    return {"pycanon": own, "pandas beside pycanon": pandas}
