"""The package as it is installed."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

FOLDER = Path(__file__).parents[1]


def test_the_wheel_has_the_sources_their_types_and_the_licence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=FOLDER, check=True, capture_output=True)  # noqa: S603 - our own interpreter
    [wheel] = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {f"hm_gateway_client/{path.name}" for path in (FOLDER / "src/hm_gateway_client").glob("*.py")}
    assert sources | {"hm_gateway_client/py.typed"} <= names
    assert any(name.endswith("LICENSE") for name in names)


def test_its_version_is_that_of_the_typescript_client() -> None:
    package = (FOLDER / "../../client/package.json").read_text()
    version = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]["version"]
    assert f'"version": "{version}"' in package
