"""What a callback or a fragment may draw, so that nothing takes the stylesheet's place; toasts come a moment later."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.frame import style

PAGES = Path(__file__).resolve().parents[4] / "pages"
#: What draws in a callback, and what loads a stylesheet.
DRAWS = {"toast", "error", "warning", "success", "info", "markdown", "caption", "write", "html", "trouble", "show",
         "empty", "section", "chart_caption", "spinner"}  # fmt: skip


def trees() -> dict[str, ast.Module]:
    return {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in PAGES.rglob("*.py")}


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def named(node: ast.expr) -> tuple[str, str]:
    """(module or "", name) of `name` and `module.name`; empty for anything else."""
    if isinstance(node, ast.Name):
        return "", node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id, node.attr
    return "", ""


def callbacks() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function of the pages that is given as on_click, on_change, … and what it calls in its own module."""
    every = trees()
    for stem, tree in every.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.keyword) or not (node.arg or "").startswith("on_"):
                continue
            module, name = named(node.value)
            own = functions(every.get(module or stem, ast.Module([], [])))
            todo, seen = [name], set()
            while todo:
                here = todo.pop()
                if here in seen or here not in own:
                    continue
                seen.add(here)
                yield module or stem, own[here]
                todo += [called[1] for call in ast.walk(own[here]) if isinstance(call, ast.Call)
                         and not (called := named(call.func))[0]]  # fmt: skip


@pytest.mark.long
def test_no_callback_draws() -> None:
    found = list(callbacks())
    assert {"_keep_note", "_ask", "_bring_back"} <= {function.name for _, function in found}
    faults = [
        f"pages: {stem}.{function.name}, line {call.lineno}: {ast.unparse(call.func)}"
        for stem, function in found
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and (said := named(call.func))[1] in DRAWS and said[0] in ("", "st", "header")
    ]
    assert not faults, "\n".join(sorted(set(faults)))


@pytest.mark.long
def test_no_fragment_loads_a_stylesheet() -> None:
    faults = []
    for stem, tree in trees().items():
        for function in functions(tree).values():
            marks = {named(mark.func if isinstance(mark, ast.Call) else mark) for mark in function.decorator_list}
            if not marks & {("st", "fragment"), ("st", "dialog")}:
                continue
            faults += [
                f"{stem}.{function.name}, line {call.lineno}"
                for call in ast.walk(function)
                if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(("st.html", ".apply", ".style"))
            ]
    assert not faults, faults


def test_the_stylesheet_leaves_the_first_places_to_callbacks() -> None:
    def script() -> None:
        from pages.shared.frame import style

        style.apply()

    opened = AppTest.from_function(script).run()
    first = [each.proto.body for each in opened._tree[2].children.values()]
    assert first[: style.SPARE] == ["<style></style>"] * style.SPARE
    assert ".fs-chip" in first[style.SPARE]


def test_a_toast_is_drawn_by_the_next_run_once() -> None:
    def script() -> None:
        import streamlit as st

        from pages.shared.frame import toasts

        toasts.draw()
        st.button("Keep", on_click=toasts.say, args=("Kept", ":material/check:"))

    opened = AppTest.from_function(script).run()
    assert not opened.toast
    opened.button[0].click().run()
    assert [toast.value for toast in opened.toast] == ["Kept"]
    assert not opened.run().toast
