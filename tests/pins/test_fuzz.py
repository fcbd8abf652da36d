"""Whatever is written where an address or a lock is expected: one error of ours, or what was meant."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from inside_torch.errors import BookError
from inside_torch.pins.address import Address
from inside_torch.pins.lock import FILE, PinLock
from inside_torch.pins.resolve import resolve
from inside_torch.pins.wheel import Wheel

CALM = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
calm = settings(max_examples=150, suppress_health_check=CALM)

#: What addresses are made of, and what somebody who wants out would put among it.
PIECES = st.sampled_from(
    [
        "src:",
        "::",
        "#",
        "/",
        "..",
        "../",
        "/etc/passwd",
        "torch",
        "torch/autograd/graph.py",
        "Node",
        "(",
        ")",
        "<",
        ">",
        "%2e%2e%2f",
        "%00",
        "\0",
        "\\",
        "~",
        "C:",
        " ",
        "\t",
        "\n",
        "{",
        "}",
        "*",
        "é",
        "`",
        '"',
        "'",
    ]
)
WRITTEN = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=9).map("".join))


@calm
@given(WRITTEN)
@example("src:../../etc/passwd")
@example("src:%2e%2e/%2e%2e/etc/passwd")
@example("src:/etc/passwd")
@example("src:torch/../../etc/passwd")
@example("src:torch\\..\\..\\etc\\passwd")
@example("src:C:/windows/system.ini")
def test_an_address_is_one_or_an_error_and_never_leaves_the_tree(sources, written):
    try:
        address = Address.parse(written)
    except BookError as error:
        assert error.rule == "address-form"
        return
    assert Address.parse(str(address)) == address
    assert not address.path.startswith("/") and ".." not in address.path.split("/")
    try:
        pin = resolve(address, sources)
    except BookError:
        return
    assert (sources.wheel.site / "torch").exists() and pin.address == address


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@calm
@given(st.one_of(st.binary(max_size=60), JSON.map(lambda data: json.dumps(data).encode())))
def test_any_lock_is_one_or_an_error(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(BookError) as raised:
        PinLock.load(tmp_path)
    assert raised.value.rule in ("lock-form", "lock-release") and raised.value.file == tmp_path / FILE


@calm
@given(st.dictionaries(WRITTEN, JSON, min_size=1, max_size=3))
def test_any_pin_of_a_lock_is_one_or_an_error(tmp_path, pins):
    from inside_torch.pins.release import COMMIT, RELEASE

    text = json.dumps({"release": RELEASE, "commit": COMMIT, "pins": pins})
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(BookError, match="lock-form"):
        PinLock.load(tmp_path)


@pytest.mark.parametrize(
    "path", ["torch/../../secret.py", "torch/./../../secret.py", "torch//../../secret.py"]
)
def test_no_address_leads_out_of_the_tree(tmp_path, path):
    site = tmp_path / "site"
    (site / "torch").mkdir(parents=True)
    (tmp_path / "secret.py").write_text("secret = 1\n", encoding="utf-8")
    assert Wheel(site).read(path).lines == ("secret = 1",), "there is something to be read"
    for written in (f"src:{path}", f"src:{path}::secret", f"src:{path}#secret = 1"):
        with pytest.raises(BookError, match="address-form"):
            Address.parse(written)
