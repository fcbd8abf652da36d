"""Symbols of a C++ or CUDA file, by tree-sitter: classes, functions, fields, aliases, macros, macro blocks.

The grammar knows neither torch's export macros nor what a preprocessor branch leaves out: both are made
blanks, byte for byte, before it reads, so that every line and column stays where it was.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

from inside_torch.errors import BookError
from inside_torch.pins.address import Address
from inside_torch.pins.symbols import Symbol, candidates, unknown

_ATTRIBUTE_MACRO = re.compile(
    r"""\b(?:\w+_(?:API|EXPORT|HIDDEN|PRIVATE)(?:_ENUM|_CLASS)?|TORCH_API_ENUM|C10_(?:ALWAYS_INLINE\w*|NODISCARD|UNUSED
    |NOINLINE|EXPORT|IMPORT|HOST_DEVICE|HOST|DEVICE|ERASE|LIFETIME_BOUND|HOST_CONSTEXPR\w*|CONSTEXPR\w*|MAYBE_UNUSED)
    |TORCH_UNUSED|HIDDEN|__host__|__device__|__global__|__forceinline__|__forceinline|__noinline__|__ubsan_\w+__
    |C10_[A-Z]+_DIAGNOSTIC_(?:PUSH|POP)\(\)|DISABLE_UBSAN\w*)(?![\w(])
    |\b(?:C10_LAUNCH_BOUNDS_\d|__launch_bounds__|C10_[A-Z]*_?DIAGNOSTIC_\w+|TS_[A-Z_]+|GUARDED_BY|__attribute__)
    \((?:[^()\n]|\([^()\n]*\))*\)""",
    re.VERBOSE,
)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)")
_NEVER = re.compile(r"[ \t]*#[ \t]*if[ \t]+0\s*(?://.*|/\*.*)?")
_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)")
# A macro used like a declaration, at the beginning of a line: TORCH_LIBRARY_IMPL(aten, CPU, m) {
_MACRO_USE = re.compile(r"^[ \t]*([A-Z][A-Z0-9_]{3,})\(", re.MULTILINE)
_AFTER_USE = re.compile(r"\s*(?:\((?:[^()]|\([^()]*\))*\)\s*(?:const\s*|noexcept\s*)*)?([{;]?)")
_BRACKET_MACRO = re.compile(r"^[ \t]*[A-Z0-9_]+_(?:BEGIN|END)[ \t]*$", re.MULTILINE)
_STRING_OR_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)

_BRACKET = re.compile(r"[(){}\[\]]")
_OPENING = ("if", "ifdef", "ifndef")
_BRANCHING = ("else", "elif", "elifdef", "elifndef")

_SCOPES = {"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"}
_KINDS = {
    "class_specifier": "class",
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
}
_NAMES = {
    "identifier",
    "field_identifier",
    "type_identifier",
    "destructor_name",
    "operator_name",
    "operator_cast",
    "qualified_identifier",
    "template_function",
    "template_method",
    "template_type",
}


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cpp.language()))


def symbols(text: str) -> list[Symbol]:
    """Every definition and declaration of the file, in both branches of a preprocessor's ``#else``."""
    text = text.encode("ascii", "replace").decode()  # one byte a letter from here on
    found: dict[tuple[object, ...], Symbol] = {}
    uses = list(_uses(text))
    cleaned, branched = _blank(text, uses, otherwise=False)
    for code in [cleaned, _blank(text, uses, otherwise=True)[0]] if branched else [cleaned]:
        for symbol in _walk(_parser().parse(code.encode()).root_node, (), ""):
            found.setdefault((symbol.scope, symbol.name, symbol.first, symbol.parameters), symbol)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    for name, start, end in uses:
        first, last = bisect_right(starts, start), bisect_right(starts, end - 1)
        found.setdefault((name, first), Symbol(name, first, last, "macro use", 1))
    for symbol in _macros(text):
        found.setdefault((symbol.name, symbol.first), symbol)
    return list(found.values())


def _blanks(text: str) -> str:
    """As many blanks as the text has letters, its line ends kept."""
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _spaces(match: re.Match[str]) -> str:
    return _blanks(match[0])


def _blank(text: str, uses: Sequence[tuple[str, int, int]], *, otherwise: bool) -> tuple[str, bool]:
    """The text with macros, directives and one side of every ``#else`` made blanks; whether it had sides.

    ``otherwise`` keeps the last branch of each conditional, else the first is kept; ``#if 0`` never is.
    """
    pieces, done = [], 0
    for _, start, end in uses:
        if start >= done:
            pieces += [text[done:start], _blanks(text[start:end])]
            done = end
    lines = "".join((*pieces, text[done:])).split("\n")
    directives = text.split("\n")
    last_branch = _last_branches(directives) if otherwise else {}
    kept: list[bool] = []  # of each conditional that is open here: is this branch kept?
    opened: list[int] = []
    branched = False
    continued = False
    for number, line in enumerate(directives):
        match = None if continued or "#" not in line else _DIRECTIVE.match(line)
        if match:
            word = match[1]
            if word in _OPENING:
                never = bool(_NEVER.fullmatch(line))
                branched |= never
                opened.append(number)
                kept.append(not never and (not otherwise or last_branch.get(number, number) == number))
            elif word in _BRANCHING and kept:
                branched = True
                kept[-1] = otherwise and last_branch.get(opened[-1]) == number
            elif word == "endif" and kept:
                kept.pop()
                opened.pop()
        if match or continued or not all(kept):
            continued = (bool(match) or continued) and line.endswith("\\")
            lines[number] = " " * len(line)
        else:
            continued = False
    cleaned = _ATTRIBUTE_MACRO.sub(_spaces, "\n".join(lines))
    return _BRACKET_MACRO.sub(_spaces, cleaned), branched


def _last_branches(lines: Sequence[str]) -> dict[int, int]:
    """The line of a conditional's ``#if`` to the line where its last branch begins."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for number, line in enumerate(lines):
        match = _DIRECTIVE.match(line) if "#" in line else None
        word = match[1] if match else ""
        if word in _OPENING:
            opened.append(number)
        elif word in _BRANCHING and opened:
            found[opened[-1]] = number
        elif word == "endif" and opened:
            opened.pop()
    return found


def _walk(node: Node, scope: tuple[str, ...], prefix: str) -> Iterator[Symbol]:
    for child in node.children:
        yield from _symbol(child, child, scope, prefix)


def _symbol(node: Node, whole: Node, scope: tuple[str, ...], prefix: str) -> Iterator[Symbol]:
    """The symbols that ``node`` declares; ``whole`` is the template around it, or itself."""
    first, last = whole.start_point[0] + 1, whole.end_point[0] + 1
    if whole.end_point[1] == 0 and last > first:
        last -= 1
    kind = node.type
    if kind == "namespace_definition":
        name = node.child_by_field_name("name")
        inner = tuple(_text(name).replace(" ", "").replace("inline", "").split("::")) if name else ()
        body = node.child_by_field_name("body")
        if body:
            yield from _walk(body, (*scope, *inner), prefix)
    elif kind in ("linkage_specification", "declaration_list", "ERROR", "preproc_if", "compound_requirement"):
        yield from _walk(node, scope, prefix)
    elif kind == "template_declaration":
        for child in node.children:
            if child.type != "template_parameter_list":
                yield from _symbol(child, whole, scope, prefix)
    elif kind in _SCOPES:
        yield from _class(node, first, last, scope, prefix)
    elif kind in (
        "function_definition",
        "declaration",
        "field_declaration",
        "type_definition",
        "friend_declaration",
    ):
        inner_type = node.child_by_field_name("type")
        if inner_type is not None and inner_type.type in _SCOPES:
            body = inner_type.child_by_field_name("body")
            if body is not None:
                yield from _class(inner_type, first, last, scope, prefix)
        if kind != "friend_declaration":
            yield from _declarators(node, first, last, scope, prefix)
        else:
            for child in node.children:
                if child.type == "function_definition":
                    yield from _symbol(child, whole, scope, "")
    elif kind in ("alias_declaration", "concept_definition"):
        name = node.child_by_field_name("name")
        if name:
            yield Symbol(prefix + _name(name), first, last, "alias", 0, scope)


def _class(node: Node, first: int, last: int, scope: tuple[str, ...], prefix: str) -> Iterator[Symbol]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        if body is not None:  # anonymous: its members belong to what holds it
            yield from _walk(body, scope, prefix)
        return
    full = prefix + _name(name)
    yield Symbol(full, first, last, _KINDS[node.type], 0 if body is not None else 2, scope)
    if body is None:
        return
    if node.type == "enum_specifier":
        for child in body.children:
            enumerator = child.child_by_field_name("name") if child.type == "enumerator" else None
            if enumerator:
                line = child.start_point[0] + 1
                yield Symbol(
                    f"{full}::{_text(enumerator)}", line, child.end_point[0] + 1, "enumerator", 0, scope
                )
    else:
        yield from _walk(body, scope, f"{full}::")


def _declarators(node: Node, first: int, last: int, scope: tuple[str, ...], prefix: str) -> Iterator[Symbol]:
    for declarator in node.children_by_field_name("declarator"):
        function: Node | None = None
        named: Node | None = declarator
        while named is not None and named.type not in _NAMES:
            if named.type == "function_declarator":
                function = named
            inner = named.child_by_field_name("declarator")
            if inner is None:
                inner = next(
                    (
                        child
                        for child in named.named_children
                        if child.type in _NAMES or child.type.endswith("declarator")
                    ),
                    None,
                )
            named = inner
        if named is None:
            continue
        # `(*name)(…)` is a variable of function type; a cast operator holds its declarator inside its name.
        pointed = function is not None and (function.child_by_field_name("declarator") or named).type == (
            "parenthesized_declarator"
        )
        parameters = None
        if named.type == "operator_cast":
            inside = named.child_by_field_name("declarator")
            function, parameters = (
                named,
                _parameters(inside.child_by_field_name("parameters") if inside else None),
            )
        elif function is not None and not pointed:
            parameters = _parameters(function.child_by_field_name("parameters"))
        name, spaces = prefix + _name(named), scope
        if named.type == "qualified_identifier":  # defined out of its namespace: torch::autograd::Node::name
            *outer, own = name.split("::")
            count = next((n for n, part in enumerate(outer) if not part.islower()), len(outer))
            name, spaces = "::".join((*outer[count:], own)), (*scope, *outer[:count])
        if parameters is None:
            kind = (
                "alias"
                if node.type == "type_definition"
                else "field"
                if node.type == "field_declaration"
                else "variable"
            )
            external = any(
                _text(child) == "extern" for child in node.children if child.type == "storage_class_specifier"
            )
            yield Symbol(name, first, last, kind, 2 if external else 0, spaces)
            continue
        refused = any(child.type == "delete_method_clause" for child in node.children)
        defined = node.type == "function_definition" and not refused
        yield Symbol(
            name,
            first,
            last,
            "function" if defined else "declaration",
            0 if defined else 2,
            spaces,
            parameters,
        )


def _text(node: Node | None) -> str:
    return " ".join((node.text or b"").decode("utf-8").split()) if node is not None else ""


def _name(node: Node) -> str:
    """A declared name, template arguments of its qualifiers left out: ``X<T>::f`` is ``X::f``."""
    if node.type == "operator_cast":
        kind = node.child_by_field_name("type")
        inside = node.child_by_field_name("declarator")
        stars = re.sub(r"\(.*", "", _text(inside)).strip()
        return tidy(f"operator {_text(kind)}{stars}")
    if node.type == "qualified_identifier":
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        head = re.sub(r"<.*>", "", _text(scope))
        return f"{head}::{_name(name)}" if name is not None else head
    return tidy(_text(node))


def _parameters(node: Node | None) -> tuple[str, ...]:
    """The types of a parameter list, names and default values left out."""
    found = []
    for child in node.children if node is not None else ():
        if child.type == "variadic_parameter" or child.type == "...":
            found.append("...")
        if not child.type.endswith("parameter_declaration"):
            continue
        default = child.child_by_field_name("default_value")
        text, start = child.text or b"", child.start_byte
        end = default.start_byte - start if default is not None else len(text)
        named = child.child_by_field_name("declarator")
        while named is not None and named.type != "identifier":
            named = named.child_by_field_name("declarator") or next(
                (
                    inner
                    for inner in named.named_children
                    if inner.type.endswith("declarator") or inner.type == "identifier"
                ),
                None,
            )
        if named is not None:
            text = text[: named.start_byte - start] + b" " + text[named.end_byte - start : end]
        else:
            text = text[:end]
        found.append(tidy(re.sub(r"/\*.*?\*/", "", text.decode("utf-8"), flags=re.S).replace("=", " ")))
    return () if found == ["void"] else tuple(found)


def tidy(code: str) -> str:
    """Code with blanks only where two words would touch."""
    return re.sub(r" ?([^\w ]) ?", r"\1", " ".join(code.split())).replace(",", ", ")


def _macros(text: str) -> Iterator[Symbol]:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = _DEFINE.match(line)
        if match:
            last = number
            while lines[last].endswith("\\") and last + 1 < len(lines):
                last += 1
            yield Symbol(match[1], number + 1, last + 1, "macro", 1)


def _uses(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, start and end of every macro use that begins a line, its block or semicolon included.

    It is named as it is written: ``TORCH_LIBRARY_IMPL(aten, CPU, m)``.
    """
    bare = _STRING_OR_COMMENT.sub(_spaces, text)
    for match in _MACRO_USE.finditer(bare):
        close = _closing(bare, match.end() - 1)
        if close is None:
            continue
        rest = _AFTER_USE.match(bare, close + 1)
        end = close
        if rest and rest[1] == "{":
            end = _closing(bare, rest.end() - 1) or close
        elif rest and rest[1] == ";":
            end = rest.end() - 1
        yield tidy(text[match.start(1) : close + 1]), match.start(1), end + 1


def _closing(text: str, start: int) -> int | None:
    """The place of the bracket that closes the one at ``start``."""
    depth = 0
    for match in _BRACKET.finditer(text, start):
        depth += 1 if match[0] in "({[" else -1
        if depth == 0:
            return match.start()
    return None


def split(symbol: str) -> tuple[str, tuple[str, ...] | None]:
    """An address's symbol as name and parameter types, None where it gives none."""
    symbol = tidy(symbol)
    if not symbol.endswith(")"):
        return symbol, None
    depth = 0
    for place in range(len(symbol) - 1, -1, -1):
        depth += (symbol[place] == ")") - (symbol[place] == "(")
        if depth == 0:
            break
    name, inside = symbol[:place], symbol[place + 1 : -1]
    if name.endswith("operator") and not inside:
        return symbol, None  # operator() itself
    return name, _arguments(inside)


def _arguments(inside: str) -> tuple[str, ...]:
    """The parts between commas that stand in no bracket."""
    parts, depth, part = [], 0, ""
    for letter in inside:
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return tuple(tidy(one) for one in (*parts, part) if one.strip())


def plain_type(kind: str) -> str:
    """A type without qualifiers of namespace, for a comparison that leaves them out."""
    return re.sub(r"\b\w+::", "", kind).replace(" ", "")


def _types(symbol: Symbol) -> tuple[str, ...] | None:
    """What tells overloads apart: the parameter types, bare."""
    return None if symbol.parameters is None else tuple(map(plain_type, symbol.parameters))


def choose(address: Address, known: Sequence[Symbol]) -> list[Symbol]:
    """The symbol that the address means: leading namespaces may be missing, a definition goes before a
    declaration.
    """
    wanted = tidy(address.symbol or "")
    uses = [symbol for symbol in known if symbol.kind == "macro use" and symbol.name == wanted]
    name, parameters = split(wanted)
    matching = uses or [symbol for symbol in known if _named(symbol, name)]
    if not matching:  # a specialisation may be named without its arguments where there is but one
        matching = [
            symbol
            for symbol in known
            if _named(replace(symbol, name=re.sub(r"<.*>$", "", symbol.name)), name)
        ]
    if not matching:
        raise unknown(address, (s.name for s in known))
    if parameters is not None and not uses:
        exact = [s for s in matching if s.parameters == parameters]
        plain = tuple(map(plain_type, parameters))
        chosen = exact or [s for s in matching if _types(s) == plain]
        if not chosen:
            raise BookError(
                "pin-symbol",
                f"no overload ({', '.join(parameters)}) of {name} in {address.path}",
                "the parameter types of one overload",
                candidates(matching),
            )
        matching = chosen
    full = [s for s in matching if "::".join((*s.scope, s.name)) == name]
    matching = full or matching
    # Of one overload: another one that is only declared here is a place of its own.
    best: dict[tuple[str, ...] | None, int] = {}
    for s in matching:
        best[_types(s)] = min(s.rank, best.get(_types(s), s.rank))
    chosen = sorted((s for s in matching if s.rank == best[_types(s)]), key=lambda symbol: symbol.first)
    if len(chosen) > 1 and not address.text:
        raise BookError(
            "pin-ambiguous",
            f"{address} names {len(chosen)} places",
            "an address of one place: more of its namespaces, parameter types, or #text",
            candidates(chosen),
        )
    return chosen


def _named(symbol: Symbol, name: str) -> bool:
    if symbol.kind == "macro use":
        return False
    if symbol.name == name:
        return True
    if not name.endswith(f"::{symbol.name}"):
        return False
    outer = name[: -len(symbol.name) - 2].split("::")
    return tuple(outer) == symbol.scope[len(symbol.scope) - len(outer) :]
