"""The hashes of the files that ship, `assets/manifest.json`, which `make manifest` writes.

`{"sha256": {"translator/heads.json": "3f..."}}`; names are relative to the manifest's folder. A file of a folder
without a manifest, such as one's own training, has no recorded hash. `views/shipped_files.py` reads the same for texts
and pictures.
"""

import json
from functools import lru_cache
from pathlib import Path

NAME = "manifest.json"
LEVELS = 4  # folders between a manifest and a file


def find_manifest(path: Path) -> Path | None:
    """Return the manifest of the nearest folder above `path` that has one."""
    return next((folder / NAME for folder in path.parents[:LEVELS] if (folder / NAME).is_file()), None)


def recorded_sha256(path: Path) -> str | None:
    """Return the hash of `path` in its manifest; None if it has none.

    Raises:
        ValueError, OSError: the manifest is damaged.
    """
    path = path.absolute()
    manifest = find_manifest(path)
    if manifest is None:
        return None
    return _hashes(manifest, manifest.stat().st_mtime_ns).get(path.relative_to(manifest.parent).as_posix())


def record_sha256(path: Path, sha256: str) -> bytes | None:
    """Return the content of the manifest with the new hash of `path`; None if it does not list `path`."""
    path = path.absolute()
    if recorded_sha256(path) in (None, sha256) or (manifest := find_manifest(path)) is None:
        return None
    hashes = dict(_hashes(manifest, manifest.stat().st_mtime_ns))
    return manifest_content(hashes | {path.relative_to(manifest.parent).as_posix(): sha256})


def manifest_content(hashes: dict[str, str]) -> bytes:
    """Return the file with these hashes."""
    return (json.dumps({"sha256": dict(sorted(hashes.items()))}, indent=1) + "\n").encode()


@lru_cache(maxsize=8)
def _hashes(manifest: Path, changed: int) -> dict[str, str]:
    """The hashes in a manifest; `changed`, when it was written last, lets a new one be read."""
    content = json.loads(manifest.read_text(encoding="utf-8"))
    hashes = content.get("sha256") if isinstance(content, dict) else None
    if not isinstance(hashes, dict) or not all(isinstance(value, str) for value in hashes.values()):
        raise ValueError(f"{manifest.name} lists no hashes")
    return hashes
