"""What the fences say of themselves, in the languages of the book."""

from __future__ import annotations

from inside_torch.errors import BookError, nearest

LABELS: dict[str, dict[str, str]] = {
    "en": {
        "line": "line {first}",
        "lines": "lines {first}–{last}",
        "whole-file": "whole file",
        "at": "at {release}",
        "text": "source text",
        "text-title": "The lines come from the installed release; every build checks their digest.",
        "tree": "source tree",
        "tree-title": "The lines are read from a source checkout at the release's commit.",
        "witness": "{count} witness",
        "witnesses": "{count} witnesses",
        "witness-title": "The release's libraries remember assertions on these lines: {lines}.",
        "bracketed": "bracketed",
        "bracketed-title": "The release's libraries remember assertions around these lines: {lines}.",
        "generated": "generated",
        "generated-title": "Written when PyTorch is built: the repository holds no such file.",
        "generated-link": "{path}, {range}: generated when PyTorch is built, in no repository",
        "link-title": "{path}, {range} {at}, {evidence}",
        "by-text": "proven by its text",
        "by-tree": "proven by the source tree",
        "by-witness": "proven by {count} witness",
        "by-witnesses": "proven by {count} witnesses",
        "by-bracketed": "proven by the witnesses on both sides",
        "by-file": "a file of the release",
        "credit": "PyTorch, BSD-3",
        "credit-title": "This text is PyTorch's, under its BSD-3-Clause licence",
        "fold": "{count} more lines, {first}–{last}",
        "fold-one": "1 more line, {first}",
        "proven-lines": "Other lines that the release proves: {count}",
        "no-text": "The release ships this file compiled. The steps below are ours; the lines are proven "
        "by assertions in its libraries.",
        "excerpt-of": "Source: {path}",
        "note": "Note on line {line}",
        "diagram-links": "Sources of this diagram",
        "run-it": "Run it",
        "from-line": "lines {first}–{last}",
        "output": "Output",
        "prints": "It prints",
        "stop-here": "Stop here",
        "stop-python": "in pdb",
        "stop-cpp": "in gdb",
        "stop-how": "How to stop in these frames yourself",
        "stop-how-python": "Python frames, in pdb",
        "stop-how-cpp": "C++ frames, in gdb",
        "python": "Python",
        "cpp": "C++",
        "thread": "thread {number}",
        "recorded": "Recorded with torch {release} ({build}) on {machine}",
        "record-again": "Record it again",
        "call-path": "Call path of {program}",
        "call-path-descr": "The {count} calls recorded from {program}, in order: {symbols}.",
        "measured": "Measured with torch {build} on {machine}, {date}",
        "measure-again": "Measure it again",
        "measured-by": "Measured by {program} with torch {build} on {machine}, {date}",
        "quantity": "Quantity",
        "value": "Value",
        "exercise": "Exercise",
        "task": "Fill the hole",
        "test": "Test it",
        "solution": "Show the solution",
    },
    "zh": {
        "line": "第 {first} 行",
        "lines": "第 {first}–{last} 行",
        "whole-file": "整个文件",
        "at": "（{release}）",
        "text": "源码原文",
        "text-title": "这些行读自已安装的发行版，每次构建都会校验其摘要。",
        "tree": "源码树",
        "tree-title": "这些行读自该发行版提交处的源码检出。",
        "witness": "{count} 处见证",
        "witnesses": "{count} 处见证",
        "witness-title": "发行版的库记录了位于这些行的断言：{lines}。",
        "bracketed": "两侧见证",
        "bracketed-title": "发行版的库记录了位于这些行两侧的断言：{lines}。",
        "generated": "生成文件",
        "generated-title": "构建 PyTorch 时生成：仓库中没有这个文件，因此没有链接。",
        "generated-link": "{path}，{range}：构建 PyTorch 时生成，仓库中没有对应位置",
        "link-title": "{path}，{range}{at}，{evidence}",
        "by-text": "由原文证明",
        "by-tree": "由源码树证明",
        "by-witness": "由 {count} 处见证证明",
        "by-witnesses": "由 {count} 处见证证明",
        "by-bracketed": "由两侧的见证证明",
        "by-file": "发行版中的文件",
        "credit": "PyTorch，BSD-3",
        "credit-title": "此段文字属于 PyTorch，依 BSD-3-Clause 许可使用",
        "fold": "另有 {count} 行，{first}–{last}",
        "fold-one": "另有 1 行，{first}",
        "proven-lines": "发行版所证明的其他行：{count}",
        "no-text": "发行版只含此文件的编译结果。下面的步骤由我们撰写；各行由库中的断言证明。",
        "excerpt-of": "源码：{path}",
        "note": "第 {line} 行的注释",
        "diagram-links": "此图的源码",
        "run-it": "运行",
        "from-line": "第 {first}–{last} 行",
        "output": "输出",
        "prints": "输出",
        "stop-here": "在此停下",
        "stop-python": "pdb",
        "stop-cpp": "gdb",
        "stop-how": "如何亲自停在这些帧上",
        "stop-how-python": "Python 帧，用 pdb",
        "stop-how-cpp": "C++ 帧，用 gdb",
        "python": "Python",
        "cpp": "C++",
        "thread": "线程 {number}",
        "recorded": "录制环境：torch {release}（{build}），{machine}",
        "record-again": "重新录制",
        "call-path": "{program} 的调用路径",
        "call-path-descr": "从 {program} 录得的 {count} 次调用，依次为：{symbols}。",
        "measured": "测量环境：torch {build}，{machine}，{date}",
        "measure-again": "重新测量",
        "measured-by": "由 {program} 测得：torch {build}，{machine}，{date}",
        "quantity": "量",
        "value": "值",
        "exercise": "练习",
        "task": "补上空缺",
        "test": "测试",
        "solution": "显示答案",
    },
}


class Labels:
    """The labels of one language, filled in by name: ``labels("lines", first=3, last=9)``."""

    def __init__(self, language: str) -> None:
        if language not in LABELS:
            raise BookError(
                "render-language",
                f"the language `{language}`",
                "one of " + ", ".join(LABELS),
                nearest(language, LABELS),
            )
        self.language = language
        self._texts = LABELS[language]

    def __call__(self, name: str, **values: object) -> str:
        return self._texts[name].format(**values)

    def range(self, first: int | None, last: int | None) -> str:
        """``lines 3–9``, ``line 3``, or that it is the whole file."""
        if first is None:
            return self("whole-file")
        return self("line", first=first) if last in (None, first) else self("lines", first=first, last=last)
