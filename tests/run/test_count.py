"""Claims are counted in a process of their own, and nothing that a count should see passes."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace

import pytest
from inside_torch.book.claims import ClaimsFile, Counts, claims_of
from inside_torch.cli import app, count
from inside_torch.errors import BookError
from inside_torch.run.claim_counts import ClaimTally, count_against, count_article, differences, record, wrong
from typer.testing import CliRunner

ARTICLE, OTHER = "module-00-x/a", "module-00-x/b"
CODE = '''
import time

from hypothesis import strategies as st
from inside_torch.claims import Counted, cases, counted

LEAST = 0


def numbers():
    return {f"n{number}": number for number in range(LEAST, 10)}


@counted(numbers, planted=-1)
def not_negative(number):
    """A number is not negative."""
    return number >= 0


@counted(numbers, planted=lambda: 7)
def not_seven(number):
    """A number is not seven."""
    return number != 7


@counted(numbers, planted=3)
def cannot_fail(number):
    """A number is a number."""
    return True


@counted(numbers, planted=3)
def raises(number):
    """A number divides."""
    return 1 / (number - 4) < 2


@counted(list, planted=3)
def of_nothing(number):
    """Nothing is so."""
    return False


@counted(cases(st.lists(st.integers()), count=40), planted=[2, 1])
def generated(values):
    """A list that is sorted is sorted."""
    return sorted(values) == sorted(sorted(values)) and values != [2, 1]


@counted(cases(st.just("a `b`"), count=1), planted="")
def generated_backtick(text):
    """A text is not empty."""
    return text != ""


@counted(lambda: ["a `code`"], planted=3)
def with_a_backtick(name):
    """A name is shown as it is."""
    return name != 3


@counted(numbers, planted=3, build="cuda")
def elsewhere(number):
    """A number is not three."""
    return number != 3
'''

#: Another article's: TorchDynamo takes longer to import than all others take to be counted.
GUARDS = '''
import torch._dynamo.guards
from inside_torch.claims import counted


@counted(lambda: ["profile_guard_manager"], planted="GuardManager")
def guards_are_not_measured(name):
    """What measures a tree of guards is not PyTorch's."""
    return not getattr(torch._dynamo.guards, name).__module__.startswith("torch.")
'''

#: The claims of it that are recorded.
SOUND = ("not-negative", "not-seven", "generated", "generated-backtick")


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    root = tmp_path_factory.mktemp("counts")
    (root / "docs").mkdir()
    for article, code in ((ARTICLE, CODE), (OTHER, GUARDS)):
        file = root / "snippets" / article / "claims.py"
        file.parent.mkdir(parents=True)
        file.write_text(code)
    return root


@pytest.fixture(scope="module")
def first(book):
    """The first count of all claims, which is recorded."""
    return {outcome.claim.id: outcome for outcome in count_article(book, ARTICLE)}


def test_a_claim_that_holds_or_names_its_exceptions_is_recorded(book, first):
    recorded = Counts.load(Counts.file(book, ARTICLE))
    assert tuple(recorded.claims) == SOUND
    assert (recorded.claims["not-negative"].holds, recorded.claims["not-negative"].count) == (10, 10)
    assert recorded.claims["not-seven"].exceptions == ["n7"]
    assert recorded.names("not-seven") == [f"n{number}" for number in range(10)]
    assert recorded.claims["generated"].count == 40 and recorded.names("generated") == []


def test_a_claim_that_cannot_fail_is_none(first):
    assert first["cannot-fail"].error.rule == "claim-planted"


def test_what_a_claim_raises_is_told_with_its_member(first):
    assert "ZeroDivisionError at n4" in str(first["raises"].error)


def test_a_population_with_no_member_is_red(first):
    assert first["of-nothing"].error.rule == "claim-population"


def test_a_name_with_a_backtick_is_red(first):
    assert "a name is a text with no tab, line break or backtick" in str(first["with-a-backtick"].error)


def test_a_claim_of_another_build_is_skipped(first):
    assert first["elsewhere"].skipped == "it is counted on the cuda build alone"


def test_a_build_that_there_is_not_is_named_with_the_nearest():
    code = CODE.replace('build="cuda"', 'build="cdua"')
    with pytest.raises(BookError) as raised:
        ClaimsFile(ARTICLE, code).claims  # noqa: B018
    line = code.splitlines().index("def elsewhere(number):") + 1
    assert raised.value.found == "build='cdua'" and raised.value.nearest.startswith("cuda")
    assert raised.value.line == line


def test_a_record_of_several_builds_says_the_first(tally, recorded):
    made = record(ARTICLE, "2.13.0", "cu130", {"not-seven": tally.claim}, recorded, [tally])
    assert (made.build, record(ARTICLE, "2.13.0", "cu130", {}, None, []).build) == (recorded.build, "cu130")


def test_a_run_in_a_forked_process_counts_the_same(book, first, fork_server):
    run = count_article(book, ARTICLE, check=True, start=fork_server.run)
    again = {outcome.claim.id: outcome for outcome in run}
    for name in SOUND:
        assert again[name].error is None and again[name].changes == (), name


def test_trees_of_guards_are_not_measured(book, fork_server):
    (outcome,) = count_article(book, OTHER, check=True, start=fork_server.run)
    assert (outcome.holds, outcome.count) == (1, 1)


@pytest.fixture
def tally(book, first):
    claim = claims_of(book, ARTICLE)["not-seven"]
    return ClaimTally(claim, [f"n{number}" for number in range(10)], ["n7"])


@pytest.fixture
def recorded(book, first):
    return Counts.load(Counts.file(book, ARTICLE))


def test_names_that_change_are_said(tally, recorded):
    now = replace(tally, names=[*tally.names[1:], "n10"], exceptions=["n8"])
    assert differences(now, recorded) == [
        "exceptions that are new (1): n8",
        "exceptions that are gone (1): n7",
        "members that came (1): n10",
        "members that went (1): n0",
    ]


def test_a_population_that_lost_a_fifth_is_red_unless_it_is_meant(tally, recorded):
    few = replace(tally, names=tally.names[3:])
    error = wrong(few, recorded, smaller=False)
    assert error.rule == "claim-population"
    assert "7 members, where 10 were recorded" in error.found and "n0, n1, n2" in error.found
    assert wrong(few, recorded, smaller=True) is None
    assert wrong(replace(tally, names=tally.names[2:]), recorded, smaller=False) is None


def test_fewer_than_the_claim_asks_for_is_red(tally):
    claim = replace(tally.claim, minimum=11)
    error = wrong(replace(tally, claim=claim), None, smaller=True)
    assert "10 members, and at least 11 are asked for" in error.found


def test_a_claim_that_is_no_more_leaves_the_record(tally, recorded):
    known = {"not-seven": tally.claim}
    made = record(ARTICLE, "2.13.0", "cpu", known, recorded, [tally])
    assert list(made.claims) == ["not-seven"] and list(made.populations) == ["numbers"]


def test_the_counts_of_a_release_that_is_left_stay_beside_those_of_the_next(tally, recorded):
    known = {"not-seven": tally.claim}
    made = record(ARTICLE, "2.15.0", "cpu", known, recorded, [replace(tally, exceptions=[])])
    (past,) = made.others["not-seven"]
    assert (past.release, past.holds, past.count) == ("2.13.0", 9, 10)
    again = record(ARTICLE, "2.13.0", "cpu", known, made, [tally])
    assert [(one.release, one.holds) for one in again.others["not-seven"]] == [("2.15.0", 10)]
    other = replace(tally.claim, parts=("another",))
    changed = record(ARTICLE, "2.15.0", "cpu", {"not-seven": other}, recorded, [replace(tally, claim=other)])
    assert changed.others == {}


def test_another_interpreter_tells_how_it_differs_and_keeps_nothing_of_the_same_release(book, first):
    before = Counts.file(book, ARTICLE).read_bytes()
    told = {one.claim.id: one for one in count_against(book, ARTICLE, sys.executable, only="not-seven")}
    assert (told["not-seven"].holds, told["not-seven"].count, told["not-seven"].changes) == (9, 10, ())
    assert Counts.file(book, ARTICLE).read_bytes() == before


def test_another_release_keeps_the_members_that_came_and_went(book, first, monkeypatch):
    file = Counts.file(book, ARTICLE)
    before = file.read_bytes()
    recorded = Counts.load(file)
    members = recorded.populations["numbers"].split("\t")
    other = {"numbers": "\t".join(["n99", *members[1:]])}
    recorded.model_copy(update={"populations": recorded.populations | other, "release": "2.0.0"}).dump(file)
    list(count_against(book, ARTICLE, sys.executable, only="not-seven"))
    (kept,) = Counts.load(file).others["not-seven"]
    file.write_bytes(before)
    assert (kept.came, kept.went) == ([members[0]], ["n99"])


def test_the_verb_fails_where_a_claim_does(book, first, fork_server, monkeypatch):
    monkeypatch.setattr(count, "ROOT", book)
    monkeypatch.setattr("inside_torch.run.fork_server.ForkServer", lambda: nullcontext(fork_server))
    result = CliRunner().invoke(app, ["count", f"{ARTICLE}#not-seven", "--check"])
    assert result.exit_code == 0 and "9 of 10" in result.output and "not n7" in result.output
    result = CliRunner().invoke(app, ["count", f"{ARTICLE}#cannot-fail", "--check"])
    assert result.exit_code == 1 and "it holds for its planted counterexample" in result.output


def test_the_verb_names_the_nearest(book, monkeypatch):
    monkeypatch.setattr(count, "ROOT", book)
    result = CliRunner().invoke(app, ["count", f"{ARTICLE}#not-sevn"])
    assert isinstance(result.exception, BookError) and "not-seven" in result.exception.nearest
