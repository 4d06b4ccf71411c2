#!/usr/bin/env python3
"""Sends thousands of requests that the OpenAPI document allows, and that it forbids, to a server.

    python3 StudyDay/Tests/Tools/serve_schemathesis.py PROMILLE_SERVE [EXAMPLES]

Starts `promille-serve` on a made-up study day and runs schemathesis against it as the owner, an operator and a
participant. No answer may be a failure of the server, have a status, a type of content or a form that the document
does not have, or take what the document forbids. Needs the package schemathesis.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
]

LEFT_OUT = [
    # Streams have no end.
    "/api/v1/events",
    # Would end the token that is used.
    "/api/v1/tokens/{id}",
    "/api/v1/accounts/{id}",
]


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    serve = str(Path(sys.argv[1]).resolve())
    examples = sys.argv[2] if len(sys.argv) == 3 else "30"
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/day.sqlite"
        server = subprocess.Popen(
            [serve, database, "--demo", "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True)
        try:
            base = address(server)
            for role in ("owner", "operator", "participant"):
                token = subprocess.run(
                    [serve, database, "--invite", f"probe-{role}", "--role", role, "--station"],
                    check=True, capture_output=True, text=True).stdout.strip()
                if run(base, token, examples) != 0:
                    failed.append(role)
        finally:
            server.send_signal(signal.SIGTERM)
            if server.wait(timeout=60) != 0:
                failed.append("end of the server")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def address(server: subprocess.Popen) -> str:
    for line in server.stdout:
        if found := re.search(r"https?://[^\s/#]+", line):
            return found[0]
    sys.exit("the server does not say where it listens")


def run(base: str, token: str, examples: str) -> int:
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "run", f"{base}/api/v1/openapi.json",
        "--header", f"Authorization: Bearer {token}", "--checks", ",".join(CHECKS),
        "--max-examples", examples, "--phases", "examples,coverage,fuzzing", "--seed", "18",
        "--request-timeout", "30", "--generation-database", "none",
    ]
    for path in LEFT_OUT:
        command += ["--exclude-path", path]
    return subprocess.run(command, env={**os.environ, "NO_COLOR": "1"}).returncode


if __name__ == "__main__":
    main()
