"""The machine is made up, and so is its clock: what a right answer is, is known."""

import pytest
from exercise import compare


class Machine:
    """Its time passes while something runs, more slowly or faster."""

    def __init__(self, slowness=lambda now, calls: 1.0):
        self.now, self.calls, self.slowness = 0.0, 0, slowness

    def clock(self):
        return self.now

    def way(self, cost, first=None):
        """A function that takes so many seconds, and at its first call so many."""
        costs = iter([cost if first is None else first])

        def call():
            self.calls += 1
            self.now += next(costs, cost) * self.slowness(self.now, self.calls)

        return call

    def compared(self, **costs):
        """What `compare` makes of ways with these costs: (each call, the first) or each call."""
        ways = {
            name: self.way(*cost) if isinstance(cost, tuple) else self.way(cost)
            for name, cost in costs.items()
        }
        return compare(ways, clock=self.clock, rounds=8, times=3)


def test_the_first_call_is_no_part_of_the_speed():
    speed, _ = Machine().compared(eager=1.0, compiled=(0.5, 100.0))["compiled"]
    assert speed == pytest.approx(2.0)


def test_the_first_call_has_to_be_paid_for():
    _, pays = Machine().compared(eager=1.0, compiled=(0.75, 100.1))["compiled"]
    assert pays == 398, "398 calls: 100.1 + 397 * 0.75 seconds, and eager's 398 * 1.0"


def test_as_much_time_as_eager_is_enough():
    _, pays = Machine().compared(eager=1.0, compiled=(0.75, 100.0))["compiled"]
    assert pays == 397, "397 calls: 100.0 + 396 * 0.75 seconds, which is eager's 397 * 1.0"
    _, pays = Machine().compared(eager=1.0, compiled=0.5)["compiled"]
    assert pays == 1, "a first call that is as fast as the others is one call"


def test_what_is_slower_never_pays():
    speed, pays = Machine().compared(eager=1.0, compiled=(2.0, 100.0))["compiled"]
    assert (speed, pays) == (pytest.approx(0.5), None)
    assert Machine().compared(eager=1.0, same=1.0)["same"] == (pytest.approx(1.0), None)


def test_each_way_is_held_against_eager():
    found = Machine().compared(eager=1.0, half=0.5, double=2.0)
    assert {name: speed for name, (speed, _) in found.items()} == {
        "half": pytest.approx(2),
        "double": pytest.approx(0.5),
    }


def test_the_first_is_eager_and_the_calls_are_as_many_as_told():
    machine = Machine()
    found = machine.compared(first=1.0, eager=0.5)
    assert {name: speed for name, (speed, _) in found.items()} == {"eager": pytest.approx(2)}
    assert 2 * 8 * 3 <= machine.calls < 2 * 8 * 4, "two ways, 8 rounds of 3 calls, and first calls besides"


@pytest.mark.parametrize(("every", "phase"), [(every, phase) for every in (5, 17) for phase in range(every)])
def test_some_calls_are_disturbed(every, phase):
    machine = Machine(slowness=lambda now, calls: 20.0 if calls % every == phase else 1.0)
    speed, _ = machine.compared(eager=1.0, compiled=0.5)["compiled"]
    assert speed == pytest.approx(2.0, rel=0.05), "a round that something disturbed says nothing of the way"


def test_disturbed_calls_do_not_put_off_what_is_paid():
    machine = Machine(slowness=lambda now, calls: 20.0 if calls > 8 and calls % 5 == 0 else 1.0)
    _, pays = machine.compared(eager=1.0, compiled=(0.5, 100.0))["compiled"]
    assert pays == 199, "199 calls: 100.0 + 198 * 0.5 seconds, which is eager's 199 * 1.0"


def test_the_machine_gets_slower_and_slower():
    machine = Machine(slowness=lambda now, calls: 1.0 + calls / 100)
    speed, _ = machine.compared(eager=1.0, compiled=0.5)["compiled"]
    assert speed == pytest.approx(2.0, rel=0.1), "who is timed later is timed on a slower machine"
