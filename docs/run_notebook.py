"""Run notebooks without Jupyter, and write what their cells show into them:

    python docs/run_notebook.py examples/first-look.ipynb

The cells share one namespace, as in Jupyter; what a cell prints and the value of its last line are what it shows.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from depinduce.corpus import open_output

# how a value may show itself, beside its text
RICH = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml"}
LONG = 1000  # a text of so many signs beside a table or a picture says nothing to a reader

Notebook = dict[str, Any]


def read_notebook(path: str | Path) -> Notebook:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def code_cells(notebook: Notebook) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cells(notebook: Notebook) -> Iterator[list[dict[str, Any]]]:
    """What every code cell shows now, one after the other."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(notebook), start=1):
        yield _run("".join(cell["source"]), number, namespace)


def _run(source: str, number: int, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse(source, f"cell {number}")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), namespace)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace)
    shown: list[dict[str, Any]] = []
    if printed.getvalue():
        shown.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {kind: _lines(getattr(value, method)()) for method, kind in RICH.items() if hasattr(value, method)}
        text = repr(value)
        data["text/plain"] = _lines(text if len(text) < LONG or not data else f"<{type(value).__name__}>")
        shown.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return shown


def _lines(text: str) -> list[str]:
    """A text as notebooks keep it."""
    return text.splitlines(keepends=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="+", metavar="FILE")
    for path in parser.parse_args(arguments).notebooks:
        notebook = read_notebook(path)
        for number, (cell, shown) in enumerate(zip(code_cells(notebook), run_cells(notebook), strict=True), start=1):
            cell |= {"outputs": shown, "execution_count": number}
        with open_output(path) as output:
            output.write(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
