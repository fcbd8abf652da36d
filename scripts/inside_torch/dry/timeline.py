"""The picture of a run: what a program asked of each device, in the order of the calls, as an SVG.

The dry GPU has no time, so the horizontal axis counts calls. A long log is drawn in columns of several calls
each; its picture is no larger than that of a short one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from inside_torch.dry.launch_log import COPIES, FILLS, LAUNCHES, PRODUCTS, WAITS, LaunchLog, human, short
from inside_torch.errors import counted

Call = dict[str, Any]
#: What is asked of a stream, with the words for it; each kind has a row of its own, a shape and a colour.
KINDS = {
    "kernel": "kernels",
    "product": "products",
    "copy": "copies",
    "fill": "fills",
    "collective": "collectives",
    "graph": "graphs",
    "host": "host functions",
    "other": "other calls",
    "event": "events",
}
LEGEND = {
    "kernel": "kernel",
    "product": "product of cuBLAS",
    "copy down": "copy to the device",
    "copy up": "copy to the host",
    "copy right": "copy within and between devices",
    "fill": "fill",
    "collective": "collective of NCCL",
    "graph": "launch of a graph",
    "host": "host function",
    "other": "another library's call",
    "kept": "hollow: captured in a graph, not run",
    "event record": "event recorded",
    "event wait": "stream waits for it",
    "wait": "the host waits",
    "refused": "memory refused",
    "end": "the program ends: not answered",
}
WAYS = {"host to device": "copy down", "device to host": "copy up"}
#: More calls than this are drawn in columns of several.
COLUMNS = 400
LEFT, RIGHT, NARROWEST = 196, 24, 760
ROW, MEMORY, GAP, HEAD = 16, 64, 10, 104
STYLE = """
svg { --bg: #fdfcfa; --fg: #211f1d; --soft: #57534e; --grid: #e7e3dc; --kernel: #1f4fa3; --product: #b34700;
  --copy: #17693a; --fill: #6b655d; --collective: #7b3aa0; --graph: #806000; --host: #b01050; --wait: #a8280f;
  font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --bg: #171614; --fg: #e6e2db; --soft: #b5aea4; --grid: #34312d;
  --kernel: #8fb4f5; --product: #ff9c75; --copy: #86cf9b; --fill: #b5aea4; --collective: #d0a3ee;
  --graph: #e0b95a; --host: #ff8fb8; --wait: #ff8f7a; } }
text { fill: var(--fg) } .soft { fill: var(--soft) } .head { font-size: 16px; font-weight: 600 }
.name { font-weight: 600 } .end { text-anchor: end } .mid { text-anchor: middle }
.grid { stroke: var(--grid); fill: none } .lane { fill: var(--grid); opacity: .4 }
.page { fill: var(--bg) } .kernel { fill: var(--kernel); stroke: var(--kernel) }
.product { fill: var(--product); stroke: var(--product) } .copy { fill: var(--copy); stroke: var(--copy) }
.fill { fill: var(--fill); stroke: var(--fill) }
.collective { fill: var(--collective); stroke: var(--collective) }
.graph { fill: var(--graph); stroke: var(--graph) } .host { fill: var(--host); stroke: var(--host) }
.other, .event { fill: var(--fg); stroke: var(--fg) } .mark { stroke-width: 0; fill-rule: evenodd }
.kept { fill: none; stroke-width: 1 } .record { fill: var(--bg); stroke-width: 1.2 }
.arrow { fill: none; stroke: var(--fg); stroke-width: 1.2 } .thread { fill: var(--soft) }
.wait { fill: none; stroke: var(--wait); stroke-dasharray: 2 2; opacity: .75 }
.thin { stroke-width: .7; opacity: .5 } .at { fill: var(--wait) } 
.over { fill: none; stroke: var(--wait); stroke-width: 2 }
.used { fill: none; stroke: var(--kernel); stroke-width: 1.6 } .area { fill: var(--kernel); opacity: .14 }
.peak { fill: none; stroke: var(--fg); stroke-dasharray: 5 3 } .limit { fill: none; stroke: var(--wait) }
"""


def timeline(log: LaunchLog, memory: int, program: Path) -> str:
    """The picture of a run on devices of so many bytes each, as the text of an SVG."""
    return _Picture(log, memory, program).drawn()


def listing(log: LaunchLog, program: Path) -> str:
    """What the picture says of each call, as a table in Markdown, for readers that have no pointer."""
    return _Picture(log, 0, program).listed()


def kind(call: Call) -> str:
    """What a call is in the picture; empty where it is not shown, as handles, queries and pinned memory."""
    name = call["call"]
    if call.get("refused"):
        return "end"
    if "used" in call:
        return "memory"
    if name in WAITS:
        return "wait"
    if "stream" not in call or name == "cudaStreamCreate":
        return ""
    if PRODUCTS.fullmatch(name):
        return "product"
    for found, names in (("kernel", LAUNCHES), ("copy", COPIES), ("fill", FILLS)):
        if name in names:
            return found
    others = {"cudaEventRecord": "event", "cudaStreamWaitEvent": "event", "cudaGraphLaunch": "graph"}
    others |= {"cudaStreamBeginCapture": "capture", "cudaStreamEndCapture": "capture"}
    others |= {"cudaLaunchHostFunc": "host"}
    return others.get(name) or ("collective" if name.startswith("nccl") else "other")


@dataclass
class _Lane:
    """A thread, the memory of a device, or a stream: what it holds and where it is drawn."""

    calls: list[int] = field(default_factory=list)
    rows: dict[str, float] = field(default_factory=dict)
    top: float = 0
    height: float = 0


class _Picture:
    def __init__(self, log: LaunchLog, memory: int, program: Path) -> None:
        self.log, self.memory, self.program = log, memory, program
        self.calls = [call for call in log.calls if kind(call)]
        self.kinds = [kind(call) for call in self.calls]
        self.names = [_name(call) for call in self.calls]
        self.each = max(1, -(-len(self.calls) // COLUMNS))  # calls in a column
        self.columns = -(-len(self.calls) // self.each)
        self.step = min(16.0, max(4.0, 1200 / max(1, self.columns)))
        self.right = LEFT + max(NARROWEST, self.columns * self.step)
        self.shown: set[str] = set()  # of the legend
        self.back, self.between, self.front = Element("g"), Element("g"), Element("g")
        self.processes = list(dict.fromkeys(call["pid"] for call in self.calls))
        self.records: dict[int, int] = {}  # of a wait for an event, the call that recorded it
        self.kept: dict[int, tuple[int, int, int]] = {}  # of a call that a capture kept, the capture's stream
        self._follow()

    def _follow(self) -> None:
        """Find what recorded each event that is waited for, and which calls were captured and not run."""
        recorded: dict[tuple[int, int], int] = {}
        capturing: dict[tuple[int, int, int], tuple[int, int, int]] = {}  # by stream, where its capture began
        for number, call in enumerate(self.calls):
            name, event = call["call"], (call["pid"], call.get("event", 0))
            stream = (call["pid"], call.get("device", 0), call.get("stream", 0))
            if name == "cudaEventRecord":
                recorded[event] = number
            elif event in recorded:
                self.records[number] = recorded[event]
                origin = self.kept.get(recorded[event])
                if name == "cudaStreamWaitEvent" and origin in capturing.values() and origin is not None:
                    capturing.setdefault(stream, origin)
            if name == "cudaStreamBeginCapture":
                capturing[stream] = stream
            elif name == "cudaStreamEndCapture":
                capturing = {one: origin for one, origin in capturing.items() if origin != stream}
            elif stream in capturing and "stream" in call and "used" not in call:
                self.kept[number] = capturing[stream]

    # --- words ---

    def _more(self, number: int) -> str:
        """What is said of one call besides its name."""
        call = self.calls[number]
        found = [f"{name} {'×'.join(map(str, call[name]))}" for name in ("grid", "block") if name in call]
        if {"m", "n", "k"} <= call.keys():
            found.append(f"m={call['m']} n={call['n']} k={call['k']}")
        if "bytes" in call:
            found.append(human(call["bytes"]))
        if "kernels" in call:
            found.append(counted(call["kernels"], "kernel"))
        if "event" in call:
            found.append(f"event {call['event']}")
        if number in self.kept:
            found.append("captured, not run")
        if call.get("where"):
            found.append("at " + self.log.place(call, self.program))
        return "".join(f", {part}" for part in found)

    def _title(self, numbers: list[int]) -> str:
        """The words of a mark: which calls, what they are, and who asks for them."""
        first, last = numbers[0] + 1, numbers[-1] + 1
        names = Counter(self.names[number] for number in numbers)
        said = [f"{count} × {name}" if count > 1 else name for name, count in names.most_common(4)]
        said += [f"{len(names) - 4} other names"] if len(names) > 4 else []
        more = self._more(numbers[0]) if len(numbers) == 1 else ""
        threads = dict.fromkeys(self.calls[number]["thread"] for number in numbers)
        where = f"call {first}" if first == last else f"calls {first} to {last}"
        return f"{where}: {', '.join(said)}{more}; by {', '.join(threads)}"

    def listed(self) -> str:
        """The calls as a table, each in the picture's own words."""
        many = len({call["device"] for call in self.calls if "device" in call}) > 1
        several = len(self.processes) > 1
        rows = ["| call | what | stream | thread |", "|---|---|---|---|"]
        for number, call in enumerate(self.calls):
            what = f"`{self.names[number]}`{self._more(number)}"
            if number in self.records:
                what += f", for what was submitted before call {self.records[number] + 1}"
            if "used" in call:
                what += f"; then {human(call['used'])} given away" if call.get("ok", True) else "; refused"
            stream = str(call.get("stream", ""))
            stream += f" of device {call['device']}" if many and stream else ""
            thread = f"`{call['thread']}`" + (f" of process {call['pid']}" if several else "")
            rows.append(f"| {number + 1} | {what} | {stream} | {thread} |")
        return "\n".join(rows) + "\n"

    # --- places ---

    def _x(self, number: int) -> float:
        """Where the column of a call begins."""
        return LEFT + number // self.each * self.step

    def _middle(self, number: int) -> float:
        return self._x(number) + self.step / 2

    def _groups(self, numbers: list[int], alike: bool) -> list[list[int]]:
        """Calls that are one mark: those of a column, or neighbours; with ``alike`` those of one name."""
        found: list[list[int]] = []
        for number in numbers:
            last = found[-1][-1] if found else -1
            same = bool(found) and number // self.each == last // self.each
            near = bool(found) and number // self.each == last // self.each + 1
            if alike and near:
                parts = [
                    (self.names[one], self.calls[one]["thread"], one in self.kept) for one in (last, number)
                ]
                near = self.each == 1 and parts[0] == parts[1]
            if same or near:
                found[-1].append(number)
            else:
                found.append([number])
        return found

    # --- the picture ---

    def drawn(self) -> str:
        """The whole picture: the lanes of each process one below another, the axis, and the legend."""
        y = float(HEAD)
        for place, process in enumerate(self.processes, 1):
            if len(self.processes) > 1:
                self._text(10, y + 12, f"process {place} (pid {process})", "head")
                y += 24
            y = self._process(process, y)
        if not self.calls:
            self._text(LEFT, y + 12, "The program asked nothing of a device.")
            y += 24
        width = self.right + RIGHT
        y = self._legend(y + 22, width)
        root = Element("svg", xmlns="http://www.w3.org/2000/svg", role="img")
        root.attrib |= {"width": f"{width:g}", "height": f"{y:g}", "viewBox": f"0 0 {width:g} {y:g}"}
        heading = f"{self.program.name} on the dry GPU: {counted(len(self.calls), 'call')} in their order"
        SubElement(root, "title").text = heading
        SubElement(root, "style").text = STYLE
        arrow = SubElement(
            SubElement(root, "defs"), "marker", id="dry-arrow", viewBox="0 0 8 8", refX="7", refY="4"
        )
        arrow.attrib |= {"markerWidth": "7", "markerHeight": "7", "orient": "auto"}
        SubElement(arrow, "path", {"class": "event", "d": "M0 0L8 4L0 8z"})
        SubElement(root, "rect", {"class": "page", "width": "100%", "height": "100%"})
        words = [
            "From left to right: the order of the calls. The dry GPU has no time: no width means seconds,",
            "and no overlap is shown. Point at a mark to read what it is.",
        ]
        if self.each > 1:
            words[1] += f" Each column holds {self.each} calls; the higher a bar, the more."
        self._text(10, 26, heading, "head")
        for line, text in enumerate(words):
            self._text(10, 46 + 16 * line, text, "soft")
        self._ticks()
        root.extend((self.back, self.between, self.front))
        ElementTree.indent(root)
        return ElementTree.tostring(root, "unicode") + "\n"

    def _process(self, process: int, y: float) -> float:
        """The lanes of a process; returns where they end."""
        threads: dict[str, _Lane] = defaultdict(_Lane)
        memories: dict[int, _Lane] = defaultdict(_Lane)
        streams: dict[tuple[int, int], _Lane] = defaultdict(_Lane)
        for number, call in enumerate(self.calls):
            if call["pid"] == process:
                threads[call["thread"]].calls.append(number)
                if self.kinds[number] == "memory":
                    memories[call["device"]].calls.append(number)
                elif self.kinds[number] in KINDS:
                    streams[call["device"], call["stream"]].calls.append(number)
        top = y
        for place, (thread, lane) in enumerate(threads.items()):
            self._thread(thread, lane, y, "" if place else "host threads")
            y += ROW
        devices = sorted({*memories, *(device for device, _ in streams)})
        for device in devices:
            if len(devices) > 1:
                y += GAP + ROW
                self._text(10, y, f"device {device}", "name")
            if device in memories:
                y += GAP
                self._memory(memories[device], y, process, device)
                y += MEMORY
            for (_, stream), lane in sorted((key, lane) for key, lane in streams.items() if key[0] == device):
                y = self._stream(f"stream {stream}", lane, y + GAP)
        self._arrows(process, streams)
        self._waits(process, streams, top, y)
        return y + GAP

    def _thread(self, thread: str, lane: _Lane, y: float, label: str) -> None:
        self._text(10, y + 12, label, "name")
        self._text(LEFT - 8, y + 12, thread, "end soft")
        self._shape(self.back, "grid", f"M{LEFT} {y + 8:g}H{self.right:g}")
        for numbers in self._groups(lane.calls, alike=False):
            x, end = self._x(numbers[0]), self._x(numbers[-1]) + self.step
            path = f"M{x:g} {y + 4:g}H{end:g}V{y + 12:g}H{x:g}z"
            where = (
                f"calls {numbers[0] + 1} to {numbers[-1] + 1}"
                if len(numbers) > 1
                else f"call {numbers[0] + 1}"
            )
            self._shape(self.front, "thread", path, f"{thread} submits {where}")

    def _memory(self, lane: _Lane, y: float, process: int, device: int) -> None:
        """The bytes that a device has given away, as a step curve, with the most and the limit."""
        self._text(10, y + 12, f"memory of device {device}", "name")
        self._text(10, y + 28, "given away by the driver", "soft")
        taken = [number for number in lane.calls if self.calls[number].get("ok", True)]
        refused = [number for number in lane.calls if not self.calls[number].get("ok", True)]
        peak = max((self.calls[number]["used"] for number in lane.calls), default=0)
        near = peak * 4 >= self.memory
        scale = (MEMORY - 20) / max(1, self.memory if near else peak)
        base = y + MEMORY

        def height(used: int) -> str:
            return f"{base - used * scale:g}"

        path = f"M{LEFT} {base:g}"
        for numbers in self._columns(taken):
            values = [self.calls[number]["used"] for number in numbers]
            path += f"H{self._middle(numbers[0]):g}V{height(max(values))}"
            if values[-1] != max(values):
                path += f"h{self.step / 2:g}V{height(values[-1])}"
        end = LEFT + self.columns * self.step
        self._shape(self.back, "grid", f"M{LEFT} {base:g}H{self.right:g}")
        self._shape(self.back, "area", f"{path}H{end:g}V{base:g}z")
        self._shape(self.back, "used", f"{path}H{end:g}")
        for numbers in self._columns(taken):
            changes = [self.calls[number]["used"] for number in numbers]
            x, top = self._middle(numbers[0]), base - max(changes) * scale
            self._shape(
                self.front,
                "mark kernel",
                f"M{x - 2.5:g} {top - 2.5:g}h5v5h-5z",
                f"{self._title(numbers)}; then {human(changes[-1])} given away",
            )
        for numbers in self._columns(refused):
            x = self._middle(numbers[0])
            self.shown.add("refused")
            self._shape(
                self.front, "over", _cross(x, y + 22, 5), f"{self._title(numbers)}: refused, out of memory"
            )
        if peak:
            self._shape(self.back, "peak", f"M{LEFT} {height(peak)}H{self.right:g}")
        tensors = [one for one in self.log.of({"peak"}) if (one["pid"], one["device"]) == (process, device)]
        text = f"peak {human(peak)}" + "".join(
            f", in tensors {human(one['allocated'])}" for one in tensors[:1]
        )
        text += f"; limit {human(self.memory)}"
        if near:
            self._shape(self.back, "limit", f"M{LEFT} {height(self.memory)}H{self.right:g}", "the limit")
            text += " (the line)"
        else:
            text += " (far above)"
        self._text(self.right, y + 10, text, "end soft")

    def _columns(self, numbers: list[int]) -> list[list[int]]:
        """Calls by their column."""
        found: dict[int, list[int]] = defaultdict(list)
        for number in numbers:
            found[number // self.each].append(number)
        return list(found.values())

    def _stream(self, label: str, lane: _Lane, y: float) -> float:
        """A stream's marks, a row for each kind; returns where they end."""
        lane.top = y
        present = {self.kinds[number] for number in lane.calls}
        self._text(10, y + 12, label, "name")
        for found in (one for one in KINDS if one in present):
            numbers = [number for number in lane.calls if self.kinds[number] == found]
            lane.rows[found] = y + ROW / 2
            self._text(LEFT - 8, y + 12, KINDS[found], "end soft")
            self._row(found, numbers, y + 3, y + ROW - 3)
            y += ROW
        lane.height = y - lane.top
        width = self.right - LEFT
        box = {"class": "lane", "x": f"{LEFT}", "y": f"{lane.top:g}", "width": f"{width:g}"}
        SubElement(self.back, "rect", box | {"height": f"{lane.height:g}"})
        return y

    def _row(self, found: str, numbers: list[int], top: float, bottom: float) -> None:
        gap = 1
        for group in self._groups(numbers, alike=True):
            x, end = self._x(group[0]), self._x(group[-1]) + self.step - gap
            if found == "event":
                self._event(group, (top + bottom) / 2)
                continue
            form = found
            if found == "copy":
                form = WAYS.get(self.calls[group[0]]["way"], "copy right")
            kept = all(number in self.kept for number in group)
            if self.each > 1:
                self.shown.add(found if found != "copy" else "copy right")
                full = bottom - top
                y = bottom - max(2, full * min(1, len(group) / self.each))
                path = f"M{x:g} {y:g}H{end:g}V{bottom:g}H{x:g}z"
            else:
                self.shown.add(form)
                path = _path(form, x, end, top, bottom)
            if kept:
                self.shown.add("kept")
            self._shape(self.front, f"{'kept' if kept else 'mark'} {found}", path, self._title(group))

    def _event(self, group: list[int], y: float) -> None:
        """A record is a ring, a wait a disc; a column that has both shows the wait."""
        waits = [number for number in group if self.calls[number]["call"] == "cudaStreamWaitEvent"]
        self.shown |= {"event wait"} if waits else {"event record"}
        for numbers in (group,) if self.each > 1 else ([number] for number in group):
            is_wait = any(number in waits for number in numbers)
            path = _ring(self._middle(numbers[0]), y, min(3.5, self.step / 2))
            self._shape(
                self.front, "mark event" if is_wait else "event record", path, self._title(list(numbers))
            )

    def _arrows(self, process: int, streams: dict[tuple[int, int], _Lane]) -> None:
        """From where an event is recorded to the other stream that waits for it."""
        drawn = {}
        for wait, record in self.records.items():
            call, origin = self.calls[wait], self.calls[record]
            if call["pid"] != process or call["call"] != "cudaStreamWaitEvent":
                continue
            from_, to = (origin["device"], origin["stream"]), (call["device"], call["stream"])
            if from_ != to:
                drawn[wait // self.each, from_, to] = (wait, record)
        for (_, from_, to), (wait, record) in drawn.items():
            x, end = self._middle(record), self._middle(wait)
            y, down = streams[from_].rows["event"], streams[to].rows["event"]
            path = f"M{x:g} {y:g}L{end:g} {down + (5 if y > down else -5):g}"
            title = f"{_named(to)} waits for what {_named(from_)} had been given before call {record + 1}"
            arrow = self._shape(self.between, "arrow" if self.each == 1 else "arrow thin", path, title)
            if self.each == 1:
                arrow.set("marker-end", "url(#dry-arrow)")

    def _waits(self, process: int, streams: dict[tuple[int, int], _Lane], top: float, bottom: float) -> None:
        """Where the host waits, and where the program was ended: lines through the lanes of the process."""
        numbers = [number for number, call in enumerate(self.calls) if call["pid"] == process]
        for found in ("wait", "end"):
            for group in self._columns([number for number in numbers if self.kinds[number] == found]):
                self.shown.add(found)
                x = self._middle(group[0])
                css = "wait" if self.each == 1 else "wait thin"
                line = f"M{x:g} {top - 2:g}V{bottom:g}"
                title = self._title(group) + self._waited(group)
                title += "; it is not answered, and the program ends" if found == "end" else ""
                self._shape(self.back, css if found == "wait" else "over", line, title)
                mark = f"M{x - 3.5:g} {top - 6:g}h7l-3.5 6z" if found == "wait" else _cross(x, top - 4, 4)
                self._shape(self.front, "at" if found == "wait" else "over", mark, title)

    def _waited(self, group: list[int]) -> str:
        """For what the host waits, where one column has one wait; else the places in the program."""
        if len(group) > 1:
            places = Counter(
                self.log.place(self.calls[number], self.program)
                for number in group
                if self.calls[number].get("where")
            )
            return "".join(f"; {count} at {place}" for place, count in places.most_common(3))
        call = self.calls[group[0]]
        if "stream" in call:
            return f"; for {_named((call['device'], call['stream']))}"
        if group[0] in self.records:
            origin = self.calls[self.records[group[0]]]
            return f"; for {_named((origin['device'], origin['stream']))}"
        return ""

    def _ticks(self) -> None:
        """The numbers of the calls."""
        wanted = 70 / self.step * self.each
        step = next(
            step for size in range(9) for step in (10**size, 2 * 10**size, 5 * 10**size) if step >= wanted
        )
        for number in (0, *range(step - 1, len(self.calls), step)) if self.calls else ():
            x = self._middle(number)
            if number and x - self._middle(0) < 30:
                continue
            self._text(x, HEAD - 12, f"{number + 1}", "mid soft")
        if self.calls:
            self._text(LEFT - 8, HEAD - 12, "call", "end soft")

    def _legend(self, y: float, width: float) -> float:
        """What each shape means, of those that are there; returns where it ends."""
        x = 10.0
        for form in (one for one in LEGEND if one in self.shown):
            text = LEGEND[form] if self.each == 1 or form != "copy right" else "copy"
            long = 24 + 6.6 * len(text) + 18
            if x + long > width and x > 10:
                x, y = 10, y + 20
            self._sample(form, x, y)
            self._text(x + 24, y, text, "soft")
            x += long
        return y + 16

    def _sample(self, form: str, x: float, y: float) -> None:
        colour = form.partition(" ")[0]
        if form == "wait":
            self._shape(self.front, "at", f"M{x + 3:g} {y - 10:g}h7l-3.5 6z")
            self._shape(self.front, "wait", f"M{x + 6.5:g} {y - 4:g}v8")
        elif form in ("refused", "end"):
            self._shape(self.front, "over", _cross(x + 7, y - 4, 4))
        elif colour == "event":
            css = "event record" if form == "event record" else "mark event"
            self._shape(self.front, css, _ring(x + 7, y - 4, 3.5))
        elif form == "kept":
            self._shape(self.front, "kept kernel", _path("kernel", x + 2, x + 12, y - 9, y + 1))
        else:
            path = _path("kernel" if self.each > 1 else form, x + 2, x + 12, y - 9, y + 1)
            self._shape(self.front, f"mark {colour}", path)

    # --- elements ---

    def _shape(self, layer: Element, css: str, path: str, title: str = "") -> Element:
        drawn = SubElement(layer, "path", {"class": css, "d": path})
        if title:
            SubElement(drawn, "title").text = title
        return drawn

    def _text(self, x: float, y: float, text: str, css: str = "") -> None:
        if text:
            SubElement(self.front, "text", {"x": f"{x:g}", "y": f"{y:g}", "class": css}).text = text


_short = cache(short)


def _named(stream: tuple[int, int]) -> str:
    return f"stream {stream[1]} of device {stream[0]}"


def _name(call: Call) -> str:
    """What several calls that are one mark have in common."""
    if call["call"] in COPIES:
        return f"copy, {call['way']}"
    if "operation" in call:
        return f"cudnn {call['operation']}"
    return _short(call["kernel"]) if "kernel" in call else call["call"]


def _path(form: str, x: float, end: float, top: float, bottom: float) -> str:
    """The outline of a mark from ``x`` to ``end``: pointed, slanted or waisted, by what it is."""
    tip, middle, half = min((end - x) / 2, (bottom - top) / 2), (top + bottom) / 2, (x + end) / 2
    points = {
        "product": [
            (x, middle),
            (x + tip, top),
            (end - tip, top),
            (end, middle),
            (end - tip, bottom),
            (x + tip, bottom),
        ],
        "copy down": [(x, top), (end, top), (end - tip, bottom), (x + tip, bottom)],
        "copy up": [(x + tip, top), (end - tip, top), (end, bottom), (x, bottom)],
        "copy right": [(x, top), (end - tip, top), (end, middle), (end - tip, bottom), (x, bottom)],
        "fill": [(x, bottom), (x, middle), (end, middle), (end, bottom)],
        "collective": [
            (x, top),
            (half, middle - 1),
            (end, top),
            (end, bottom),
            (half, middle + 1),
            (x, bottom),
        ],
        "host": [(x, middle - 2), (end, middle - 2), (end, middle + 2), (x, middle + 2)],
    }.get(form, [(x, top), (end, top), (end, bottom), (x, bottom)])
    path = "M" + "L".join(f"{across:g} {down:g}" for across, down in points) + "z"
    if form == "graph" and end - x > 3:  # a frame
        path += f"M{x + 1.2:g} {top + 2:g}V{bottom - 2:g}H{end - 1.2:g}V{top + 2:g}z"
    return path


def _ring(x: float, y: float, radius: float) -> str:
    arc = f"a{radius:g} {radius:g} 0 1 0"
    return f"M{x - radius:g} {y:g}{arc} {2 * radius:g} 0{arc} {-2 * radius:g} 0z"


def _cross(x: float, y: float, arm: float) -> str:
    return f"M{x - arm:g} {y - arm:g}l{2 * arm:g} {2 * arm:g}m0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}"
