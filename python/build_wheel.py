"""Puts a static program, `promille` or `promille-serve`, into its wheel, and gives the wheel the tag that fits it.

PROMILLE_PROGRAM names the program, and PROMILLE_WHEEL_TAG the platform, as auditwheel finds it. Without them the wheel
is pure Python, and uses the command that is installed.
"""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProgramHook(BuildHookInterface):
    """Adds the program as a script of the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say what is in the wheel and what it is called."""
        program = os.environ.get("PROMILLE_PROGRAM")
        if program:
            build_data["shared_scripts"][program] = os.path.basename(program)
            build_data["pure_python"] = False
            build_data["extra_metadata"][os.environ["PROMILLE_NOTICE"]] = "NOTICE"
            build_data["tag"] = f"py3-none-{os.environ['PROMILLE_WHEEL_TAG']}"
