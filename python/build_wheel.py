"""Puts the static `promille` into the wheel, and gives the wheel the tag that fits it.

PROMILLE_PROGRAMS names the programs, separated by colons, and PROMILLE_WHEEL_TAG the platform, as auditwheel finds it.
Without them the wheel is pure Python, and uses the command that is installed.
"""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProgramHook(BuildHookInterface):
    """Adds the programs as scripts of the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say what is in the wheel and what it is called."""
        programs = [path for path in os.environ.get("PROMILLE_PROGRAMS", "").split(os.pathsep) if path]
        for path in programs:
            build_data["shared_scripts"][path] = os.path.basename(path)
        if programs:
            build_data["pure_python"] = False
            build_data["extra_metadata"][os.environ["PROMILLE_NOTICE"]] = "NOTICE"
            build_data["tag"] = f"py3-none-{os.environ['PROMILLE_WHEEL_TAG']}"
