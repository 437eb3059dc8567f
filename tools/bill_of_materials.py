"""The bill of materials in the wheel: what depinduce needs to run, as CycloneDX, made of requirements.lock.

What only its extras need is there, too, and marked as optional.

The build calls `Bill`; nothing here needs more than hatchling. It has no clock in it and the same number for the same
content, so that the same source gives the same wheel.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ENTRY = re.compile(
    r"^# licence: (?P<licence>.+); needed by (?P<askers>.+)\n(?P<name>[\w.-]+)==(?P<version>[\w.]+).*\n"
    r"(?P<hashes>(?: +--hash=sha256:.*\n?)+)",
    re.MULTILINE,
)


def bill(name: str, version: str, lock: str) -> dict[str, Any]:
    """What a package of this name, and its extras, need to run, directly or not, according to the lock."""
    entries = {entry["name"]: entry.groupdict() for entry in ENTRY.finditer(lock)}
    asked_by = {each: entry["askers"].split(", ") for each, entry in entries.items()}
    needs = {asker: sorted(each for each in entries if asker in asked_by[each]) for asker in (name, *entries)}
    optional = sorted(each for each in entries if any(asker.startswith(f"{name}[") for asker in asked_by[each]))
    always, needed = _reached(needs[name], needs), _reached([*needs[name], *optional], needs)
    needs[name] = sorted({*needs[name], *optional})
    content = {
        "metadata": {"component": _component("application", name, version, "MIT")},
        "components": [
            _component("library", each, entries[each]["version"], entries[each]["licence"])
            | {
                "scope": "required" if each in always else "optional",
                "hashes": [
                    {"alg": "SHA-256", "content": digest}
                    for digest in re.findall("sha256:([0-9a-f]{64})", entries[each]["hashes"])
                ],
            }
            for each in sorted(needed)
        ],
        "dependencies": [{"ref": each, "dependsOn": needs[each]} for each in (name, *sorted(needed))],
    }
    number = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(content))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
    } | content


def _reached(first: list[str], needs: dict[str, list[str]]) -> set[str]:
    """These packages, and all that they need, directly or not."""
    reached, waiting = set(first), list(first)
    while waiting:
        new = set(needs[waiting.pop()]) - reached
        reached |= new
        waiting.extend(new)
    return reached


def _component(kind: str, name: str, version: str, licence: str) -> dict[str, Any]:
    return {
        "type": kind,
        "bom-ref": name,
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "licenses": [{"expression": licence}],
    }


class Bill(BuildHookInterface):
    """Puts the bill into the wheel, where tools look for it: dist-info/sboms."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        lock = (Path(self.root) / "requirements.lock").read_text(encoding="utf-8")
        made = bill(self.metadata.name, self.metadata.version, lock)
        self.folder = Path(tempfile.mkdtemp())
        path = self.folder / f"{self.metadata.name}.cdx.json"
        path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
        build_data["sbom_files"].append(str(path))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self.folder)
