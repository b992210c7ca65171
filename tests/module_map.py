"""Write the map of the packages in docs/architecture.md and the list of modules in docs/modules.md.

`python tests/module_map.py --write` writes both from the first lines of the docstrings, and
`test_module_map.py` compares them.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "perudo"
ARCHITECTURE, MODULES = ROOT / "docs" / "architecture.md", ROOT / "docs" / "modules.md"
BEGIN, END = "<!-- map: python tests/module_map.py --write -->", "<!-- end of map -->"
HEAD = """# Modules

Every Python module of the package, with the first line of its docstring.

"""


def first_line(path: Path) -> str:
    """Return the first line of a module's docstring, without its full stop."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    return docstring.splitlines()[0].rstrip(".") if docstring else ""


def packages() -> list[Path]:
    """Return the folders that hold Python modules, each before those inside it."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    return sorted(folder for folder in folders if "migrations" not in folder.parts)


def name_of(folder: Path) -> str:
    """Return a folder's path as readers know it: from the package on."""
    return folder.relative_to(PACKAGE.parent).as_posix() + "/"


def modules_of(folder: Path) -> list[Path]:
    """Return the modules of a folder, in alphabetical order."""
    return sorted(path for path in folder.glob("*.py") if not path.stem.startswith("__"))


def package_map() -> str:
    """Return one row for each package: what it is, and the names of its modules."""
    rows = ["| package | what it is | modules |", "|-|-|-|"]
    for folder in packages():
        names = ", ".join(path.stem for path in modules_of(folder))
        rows.append(f"| `{name_of(folder)}` | {first_line(folder / '__init__.py')} | {names} |")
    return "\n".join(rows)


def module_list() -> str:
    """Return docs/modules.md."""
    parts = []
    for folder in packages():
        lines = [f"## {name_of(folder)}", "", f"{first_line(folder / '__init__.py')}.", ""]
        lines += [f"- `{path.stem}`: {first_line(path)}" for path in modules_of(folder)]
        parts.append("\n".join(lines).rstrip())
    return HEAD + "\n\n".join(parts) + "\n"


def with_map(document: str) -> str:
    """Return the document with a new map between its two marks."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{package_map()}\n{END}{after}"


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/module_map.py --write")
    ARCHITECTURE.write_text(with_map(ARCHITECTURE.read_text("utf-8")), "utf-8")
    MODULES.write_text(module_list(), "utf-8")
