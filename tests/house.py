"""Count in the source what the style guide asks to keep low.

`python tests/house.py` prints every figure, `--json` prints them for a machine, and `--list NAME`
prints the places that one figure counts. `test_house.py` keeps the figures from rising.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PACKAGE = "perudo"

MOST_MODULES = 16
"""A folder may hold this many modules."""
MOST_LINES = 460
"""A file may have this many lines."""
TOO_MANY_PARAMETERS = 10
SHORT_DOCSTRING = 14
"""A docstring of this many characters says nothing that the name does not."""

QUESTIONS = ("What", "Who", "How", "Where")
OTHER_QUESTIONS = ("When", "Whether", "Which", "Who(?:ever|m|se)", "What(?:ever)", "Why")
PREPOSITIONS = (
    *("After", "Among", "At", "Before", "Beside", "Between", "By", "For", "From", "In", "Of"),
    *("On", "Through", "To", "Under", "With", "Within", "Without"),
)
WORDS = {
    "told": r"told",
    "somebody": r"somebody",
    "so-many": r"so\s+many",
    "those-who": r"those\s+who|that\s+of",
    "anew": r"anew",
}
NOUNS = {
    "thinker": r"thinkers?",
    "parcels": r"parcels?",
    "house": r"houses?",
    "standings": r"standings",
    "proof": r"proofs?",
    "sitting": r"sittings?",
    "entrant": r"entrants?",
}
"""Names that only this package's authors understand."""

PYTHON_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DICTS = {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"}
CHANGES = {"__setitem__", "__delitem__", "clear", "pop", "popitem", "setdefault", "update"}
JS_TEXT = re.compile(
    r"""(?:(?<=[=:,]\ )|(?<=\())/(?![/*])(?:\\.|\[(?:\\.|[^]\\])*]|[^/\\\n[])+/  # a pattern
    | //[^\n]* | /\*.*?\*/
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | `(?:\\.|[^`\\])*`""",
    re.DOTALL | re.VERBOSE,
)
"""The comments and strings of JavaScript. Patterns are found because they may hold quotes."""


@dataclass(frozen=True, order=True)
class Place:
    """One occurrence: a line of a file, or a whole file or folder where the line is 0."""

    path: str
    line: int
    what: str
    counts: int = 1

    def __str__(self) -> str:
        return f"{self.path}{f':{self.line}' if self.line else ''}: {self.what}"


@dataclass
class Figure:
    """A count, and the places it counts."""

    title: str
    places: list[Place] = field(default_factory=list)
    is_size: bool = False
    """Sizes are printed for information and may grow."""

    @property
    def count(self) -> int:
        """The sum over all places."""
        return sum(place.counts for place in self.places)


@dataclass(frozen=True)
class File:
    """A Python or JavaScript file."""

    path: Path

    @property
    def name(self) -> str:
        """The path from the root of the repository."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def module(self) -> str:
        """The dotted name, without `__init__`."""
        parts = self.path.relative_to(SOURCE).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def text(self) -> str:
        """The contents."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def lines(self) -> list[str]:
        """The contents by line."""
        return self.text.splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed contents."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree."""
        return list(ast.walk(self.tree))

    def place(self, line: int, what: str, counts: int = 1) -> Place:
        """Make a place in this file."""
        return Place(self.name, line, what, counts)


def files_below(folder: Path, suffix: str) -> list[File]:
    """Find the files of one kind, in order."""
    return [File(path) for path in sorted(folder.rglob(f"*{suffix}"))]


# Imports


def cycles(edges: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Find the strongly connected components of more than one node."""
    forward, backward = defaultdict(set), defaultdict(set)
    for start, end in edges:
        if start != end:
            forward[start].add(end)
            backward[end].add(start)

    def reach(node: str, next_nodes: dict[str, set[str]]) -> set[str]:
        found, waiting = {node}, [node]
        while waiting:
            new = next_nodes.get(waiting.pop(), set()) - found
            found |= new
            waiting.extend(new)
        return found

    done: set[str] = set()
    components = []
    for node in sorted(forward):
        if node not in done:
            component = reach(node, forward) & reach(node, backward)
            done |= component
            if len(component) > 1:
                components.append(component)
    return components


def import_figures() -> dict[str, Figure]:
    """Count modules and folders that import each other in a circle.

    Imports inside functions and under TYPE_CHECKING count like any others. At each level the
    modules and folders of one folder are compared, each folder with all that is in it.
    """
    if str(SOURCE) not in sys.path:
        sys.path.insert(0, str(SOURCE))
    graph = grimp.build_graph(PACKAGE, exclude_type_checking_imports=False, cache_dir=None)
    imports = [
        (one, two) for one in graph.modules for two in graph.find_modules_directly_imported_by(one)
    ]
    modules = Figure("modules in import cycles")
    for number, component in enumerate(cycles(imports), 1):
        modules.places += [Place(name, 0, f"cycle {number}") for name in sorted(component)]

    deepest = max(module.count(".") for module in graph.modules)
    found: dict[str, str] = {}
    for depth in range(1, deepest + 1):

        def unit(module: str, depth: int = depth) -> str:
            return ".".join(module.split(".")[: depth + 1])

        for component in cycles((unit(one), unit(two)) for one, two in imports):
            for name in component:
                found.setdefault(name, f"level {depth}: {', '.join(sorted(component))}")
    folders = Figure("folders and modules beside each other in import cycles")
    folders.places = [Place(name, 0, what) for name, what in sorted(found.items())]
    return {"module-cycles": modules, "folder-cycles": folders}


# Shapes


def shape_figures(python: list[File], javascript: list[File]) -> dict[str, Figure]:
    """Count what is too large: folders, files and lists of parameters."""
    folders = Figure(f"folders with more than {MOST_MODULES} modules")
    for kind in (python, javascript):
        sizes = Counter(file.path.parent for file in kind if file.path.name != "__init__.py")
        folders.places += [
            Place(folder.relative_to(ROOT).as_posix(), 0, f"{size} modules")
            for folder, size in sorted(sizes.items())
            if size > MOST_MODULES
        ]
    long = Figure(f"files above {MOST_LINES} lines")
    long.places = [
        file.place(0, f"{len(file.lines)} lines")
        for file in python + javascript
        if len(file.lines) > MOST_LINES
    ]
    wide = Figure(f"functions with {TOO_MANY_PARAMETERS} or more parameters, besides CLI commands")
    for file in python:
        if re.match(rf"{PACKAGE}\.cli\w*(\.|$)", file.module):
            continue
        for node in file.nodes:
            if isinstance(node, PYTHON_FUNCTIONS) and not _is_command(node):
                count = _parameters(node)
                if count >= TOO_MANY_PARAMETERS:
                    wide.places.append(file.place(node.lineno, f"{node.name}: {count} parameters"))
    return {"large-folders": folders, "long-files": long, "many-parameters": wide}


def _is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(".command(" in ast.unparse(decorator) for decorator in node.decorator_list)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    arguments = node.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    names += [one.arg for one in (arguments.vararg, arguments.kwarg) if one]
    return len(names) - (names[:1] in (["self"], ["cls"]))


# Types


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_dict_of(node: ast.AST, value: str) -> bool:
    """Tell whether this is a mapping from strings, or anything, to the given type."""
    return (
        isinstance(node, ast.Subscript)
        and _last_name(node.value) in DICTS
        and isinstance(node.slice, ast.Tuple)
        and len(node.slice.elts) == 2
        and _last_name(node.slice.elts[0]) in {"str", "Any", "object", "int", "Hashable"}
        and _last_name(node.slice.elts[1]) == value
    )


def _is_plain(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and ast.unparse(node) == "dict[str, Any]"


def _annotations(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    for node in nodes:
        if isinstance(node, ast.AnnAssign | ast.arg):
            if node.annotation:
                yield node.annotation
        elif isinstance(node, PYTHON_FUNCTIONS) and node.returns:
            yield node.returns


def _members(node: ast.expr) -> Iterator[ast.expr]:
    """Split a union."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _members(node.left)
        yield from _members(node.right)
    else:
        yield node


def dictionary_aliases(python: list[File]) -> dict[str, set[str]]:
    """Find, by module, the names and dotted names that stand for `dict[str, Any]`."""
    aliases: dict[str, set[str]] = {file.module: set() for file in python}
    before = -1
    while before != (before := sum(map(len, aliases.values()))):
        for file in python:
            own = aliases[file.module]
            for node in file.nodes:
                if isinstance(node, ast.ImportFrom):
                    source = _imported_from(file, node)
                    for name in node.names:
                        here = name.asname or name.name
                        if name.name in aliases.get(source, ()):
                            own.add(here)
                        exported = aliases.get(f"{source}.{name.name}", set())
                        own |= {f"{here}.{one}" for one in exported if "." not in one}
            for node in file.tree.body:
                target, value = _assignment(node)
                if value and any(
                    _is_plain(one) or ast.unparse(one) in own for one in _members(value)
                ):
                    own.add(target)
    return aliases


def _imported_from(file: File, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = file.module.split(".")
    up = node.level - (file.path.name == "__init__.py")
    return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def _assignment(node: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    if isinstance(node, ast.AnnAssign) and _last_name(node.annotation) == "TypeAlias":
        return _last_name(node.target), node.value
    return "", None


def dictionary_figures(python: list[File]) -> dict[str, Figure]:
    """Count lines with dictionaries whose keys and values have no types of their own."""
    untyped = Figure("lines with dict[str, Any] or an alias of it")
    others = Figure("lines with bare dict, dict[Any, Any], Mapping[str, Any] and the like")
    objects = Figure("lines with dict[str, object] and the like")
    aliases = dictionary_aliases(python)
    for file in python:
        own = aliases[file.module]
        plain = {n for n, line in enumerate(file.lines, 1) if "dict[str, Any]" in line}
        other, loose = set(), set()
        quoted: list[ast.AST] = []
        bare: list[ast.AST] = []
        for annotation in _annotations(file.nodes):
            bare += ast.walk(annotation)
            if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
                parsed = list(ast.walk(ast.parse(annotation.value.strip(), mode="eval")))
                for node in parsed:
                    if isinstance(node, ast.expr):
                        node.lineno = annotation.lineno
                quoted += parsed
        taken = {id(node.value) for node in file.nodes + quoted if isinstance(node, ast.Subscript)}
        for node in bare + quoted:
            if isinstance(node, ast.Name) and node.id in DICTS and id(node) not in taken:
                other.add(node.lineno)
        for node in file.nodes + quoted:
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                if ast.unparse(node) in own:
                    plain.add(node.lineno)
            elif isinstance(node, ast.Subscript):
                if _is_plain(node):
                    plain.add(node.lineno)
                elif _is_dict_of(node, "Any"):
                    other.add(node.lineno)
                elif _is_dict_of(node, "object"):
                    loose.add(node.lineno)
        for figure, found in ((untyped, plain), (others, other), (objects, loose)):
            figure.places += [file.place(n, file.lines[n - 1].strip()) for n in sorted(found)]
    return {
        "untyped-dicts": untyped,
        "other-untyped-dicts": others,
        "dicts-of-objects": objects,
    }


# Attributes set behind the back of a class


def attribute_figures(python: list[File]) -> dict[str, Figure]:
    """Count reads and writes that go around the attributes a class declares."""
    writes = Figure("writes to __dict__ or vars()")
    reads = Figure("reads of __dict__")
    setting = Figure("uses of object.__setattr__")
    for file in python:
        written: set[int] = set()
        for node in file.nodes:
            if isinstance(node, ast.Subscript | ast.Attribute):
                changed = (
                    not isinstance(node.ctx, ast.Load)
                    if isinstance(node, ast.Subscript)
                    else node.attr in CHANGES
                )
                if changed and _is_namespace(node.value):
                    written.add(id(node.value))
                elif _is_namespace(node) and not isinstance(getattr(node, "ctx", None), ast.Load):
                    written.add(id(node))
                if ast.unparse(node) in ("object.__setattr__", "super().__setattr__"):
                    line = file.lines[node.lineno - 1].strip()
                    setting.places.append(file.place(node.lineno, line))
        for node in file.nodes:
            if isinstance(node, ast.expr) and _is_namespace(node):
                place = file.place(node.lineno, file.lines[node.lineno - 1].strip())
                if id(node) in written:
                    writes.places.append(place)
                elif isinstance(node, ast.Attribute):
                    reads.places.append(place)
    return {"dict-writes": writes, "dict-reads": reads, "object-setattr": setting}


def _is_namespace(node: ast.expr) -> bool:
    """Tell whether this is `x.__dict__` or `vars(x)`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "vars"
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


# English


def docstrings(file: File) -> Iterator[tuple[int, str]]:
    """Find the docstrings of modules, classes, functions and attributes, with their lines."""
    for node in file.nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield node.body[0].lineno, text
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(node, block, None)
            if not isinstance(statements, list):
                continue
            for first, second in pairwise(statements):
                if isinstance(first, ast.Assign | ast.AnnAssign) and isinstance(second, ast.Expr):
                    value = second.value
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        yield second.lineno, value.value.strip()


def docstring_figures(python: list[File]) -> dict[str, Figure]:
    """Count docstrings that begin in a way the style guide avoids, or say too little."""

    def begins(words: Iterable[str]) -> Callable[[str], object]:
        return re.compile(rf"(?:{'|'.join(words)})\b").match

    tests: dict[str, tuple[str, Callable[[str], object]]] = {
        "questions": ("docstrings that begin with What, Who, How, Where", begins(QUESTIONS)),
        "other-questions": (
            "docstrings that begin with When, Whether, Which, Whose, Why...",
            begins(OTHER_QUESTIONS),
        ),
        "prepositions": ("docstrings that begin with a preposition", begins(PREPOSITIONS)),
        "the-same": ('docstrings that begin with "The same"', begins([r"The\s+same"])),
        "short-docstrings": (
            f"docstrings of {SHORT_DOCSTRING} characters or fewer",
            lambda text: len(text) <= SHORT_DOCSTRING,
        ),
    }
    figures = {name: Figure(title) for name, (title, _) in tests.items()}
    for file in python:
        for line, text in docstrings(file):
            for name, (_, test) in tests.items():
                if test(text):
                    figures[name].places.append(file.place(line, text.splitlines()[0]))
    return figures


def texts(file: File) -> Iterator[tuple[int, str]]:
    """Find the strings and comments of a file, with their lines."""
    if file.path.suffix == ".js":
        for match in JS_TEXT.finditer(file.text):
            yield file.text.count("\n", 0, match.start()) + 1, match[0]
        return
    for node in file.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
    start, comment = 0, ""
    for token in tokenize.generate_tokens(io.StringIO(file.text).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            if comment and line == start + comment.count("\n") + 1:
                comment += "\n" + token.string.lstrip("# ")
            else:
                if comment:
                    yield start, comment
                start, comment = line, token.string.lstrip("# ")
    if comment:
        yield start, comment


def identifiers(file: File) -> Iterator[tuple[int, str]]:
    """Find every use of a name in a file, and the names of the file and its folder."""
    yield 0, file.path.stem
    if file.path.stem == "__init__":
        yield 0, file.path.parent.name
    if file.path.suffix == ".js":
        blank = JS_TEXT.sub(lambda match: "\n" * match[0].count("\n"), file.text)
        for number, line in enumerate(blank.splitlines(), 1):
            yield from ((number, name) for name in re.findall(r"[A-Za-z_$][\w$]*", line))
        return
    for node in file.nodes:
        if isinstance(node, ast.Constant):
            continue
        for _, value in ast.iter_fields(node):
            for name in value if isinstance(value, list) else [value]:
                if isinstance(name, str):
                    line_number = getattr(node, "lineno", 0)
                    yield from ((line_number, part) for part in name.split("."))


def word_figures(files: list[File]) -> dict[str, Figure]:
    """Count words in comments and strings, and private nouns in names too."""
    figures: dict[str, Figure] = {}
    patterns: dict[str, re.Pattern[str]] = {}
    for name, pattern in WORDS.items():
        figures[f"word-{name}"] = Figure(f'"{name.replace("-", " ")}" in strings and comments')
        patterns[f"word-{name}"] = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    figures["word-those-who"].title = '"those who", "that of" in strings and comments'
    for name, pattern in NOUNS.items():
        figures[f"noun-{name}"] = Figure(f'"{name}" in strings and comments')
        patterns[f"noun-{name}"] = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    for name in NOUNS:
        figures[f"name-{name}"] = Figure(f'"{name}" in identifiers')
    for file in files:
        for start, text in texts(file):
            lines = text.splitlines()
            for name, compiled in patterns.items():
                for match in compiled.finditer(text):
                    row = text.count("\n", 0, match.start())
                    figures[name].places.append(file.place(start + row, lines[row].strip()))
        for line, identifier in identifiers(file):
            spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", identifier).replace("_", " ")
            for name in NOUNS:
                if patterns[f"noun-{name}"].search(spaced):
                    figures[f"name-{name}"].places.append(file.place(line, identifier))
    return figures


# Sizes


def size_figures(python: list[File], javascript: list[File]) -> dict[str, Figure]:
    """Count lines, modules and docstrings."""

    def lines(title: str, files: list[File]) -> Figure:
        places = [file.place(0, f"{len(file.lines)} lines", len(file.lines)) for file in files]
        return Figure(title, places, is_size=True)

    figures = {"lines": lines(f"lines of Python in src/{PACKAGE}", python)}
    parts = defaultdict(list)
    for file in python:
        parts[file.path.relative_to(SOURCE / PACKAGE).with_suffix("").parts[0]].append(file)
    for part, files in sorted(parts.items(), key=lambda item: -sum(len(f.lines) for f in item[1])):
        figures[f"lines-{part}"] = lines(f"  of which {PACKAGE}.{part}", files)
    figures["lines-of-tests"] = lines(
        "lines of Python in tests", files_below(ROOT / "tests", ".py")
    )
    figures["lines-of-js"] = lines(f"lines of JavaScript in src/{PACKAGE}", javascript)
    figures["modules"] = Figure(
        "Python modules", [file.place(0, file.module) for file in python], is_size=True
    )
    figures["docstrings"] = Figure(
        "docstrings",
        [file.place(n, text.splitlines()[0]) for file in python for n, text in docstrings(file)],
        is_size=True,
    )
    return figures


def all_figures() -> dict[str, Figure]:
    """Count everything."""
    python = files_below(SOURCE / PACKAGE, ".py")
    javascript = files_below(SOURCE / PACKAGE, ".js")
    return {
        **import_figures(),
        **shape_figures(python, javascript),
        **dictionary_figures(python),
        **attribute_figures(python),
        **docstring_figures(python),
        **word_figures(python + javascript),
        **size_figures(python, javascript),
    }


def main() -> None:
    """Print the figures, or the places of one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--list", metavar="NAME", help="print the places that a figure counts")
    options = parser.parse_args()
    figures = all_figures()
    if options.list:
        if options.list not in figures:
            parser.error(f"no figure {options.list!r}; there are {', '.join(figures)}")
        for place in sorted(figures[options.list].places):
            print(place)
    elif options.json:
        print(json.dumps({name: figure.count for name, figure in figures.items()}, indent=2))
    else:
        width = max(map(len, figures))
        for name, figure in figures.items():
            print(f"{name:{width}}  {figure.count:6}  {figure.title}")


if __name__ == "__main__":
    main()
