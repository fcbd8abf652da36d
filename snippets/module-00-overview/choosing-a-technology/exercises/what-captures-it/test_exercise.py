"""Each function here has one trait that tells the ways apart."""

import torch
from exercise import verdicts

ones, twos = torch.ones(3), torch.full((3,), 2.0)


def straight(x):
    return x * 2 + 1


def branches_on_values(x):
    if x.sum() > 4:
        return x * 2
    return x - 1


def branches_on_rank(x):
    if x.dim() > 1:
        return x.sum(0)
    return x + 1


def reads_a_value(x):
    return x * x.max().item()


def has_a_set(x):
    return x * len({1, 2})


def asks_who_traces(x):
    if torch.jit.is_tracing():
        return x * 2
    return x - 1


def asks_who_traces_for_a_dtype(x):
    return x * (2 if torch.jit.is_tracing() else 2.0)


def asks_who_traces_to_turn(x):
    return x.flip(0) if torch.jit.is_tracing() else x * 1


def asks_who_traces_for_a_shape(x):
    return x[None] if torch.jit.is_tracing() else x * 1


def asks_who_traces_for_a_little(x):
    return x * (1 if torch.jit.is_tracing() else 1 + 1e-6)


def raises_in_script(x):
    if torch.jit.is_scripting():
        raise ValueError("scripted")
    return x * 2


def writes_its_argument(x, y):
    x.add_(1)
    return x * y


def test_straight_code_suits_all():
    found = verdicts(straight, (ones,), [(twos,)])
    assert found == dict.fromkeys(("trace", "script", "fx", "export", "compile"), "same")


def test_a_branch_on_values_is_baked_in_compiled_or_refused():
    found = verdicts(branches_on_values, (ones,), [(twos,)])
    assert found["trace"] == "differs", "the trace has the branch that the example took"
    assert found["script"] == "same", "script compiles the source, both branches"
    assert found["fx"] == found["export"] == found["compile"] == "refuses"


def test_without_another_input_the_wrong_branch_goes_unseen():
    assert verdicts(branches_on_values, (ones,), [])["trace"] == "same"


def test_each_other_input_counts():
    for others in ([(ones,), (twos,)], [(twos,), (ones,)]):
        assert verdicts(branches_on_values, (ones,), others)["trace"] == "differs", "one of the two is wrong"


def test_the_example_itself_may_differ():
    assert verdicts(asks_who_traces, (ones,), [])["trace"] == "differs", "compare on the example too"
    assert verdicts(asks_who_traces_for_a_dtype, (ones.int(),), [])["trace"] == "differs", "compare dtypes"
    found = verdicts(asks_who_traces, (ones,), [(-ones,)])
    assert found["trace"] == "differs", "that the other input agrees does not excuse the example"
    row = torch.tensor([1.0, 2.0, 3.0])
    assert verdicts(asks_who_traces_to_turn, (row,), [])["trace"] == "differs", "compare all elements"
    assert verdicts(asks_who_traces_for_a_shape, (row,), [])["trace"] == "differs", "compare shapes"
    assert verdicts(asks_who_traces_for_a_little, (row,), [])["trace"] == "differs", "a little counts too"


def test_what_raises_on_the_example_is_refused():
    assert verdicts(raises_in_script, (ones,), [])["script"] == "refuses", "script captures it, and it raises"


def test_a_branch_on_the_rank():
    found = verdicts(branches_on_rank, (ones,), [(torch.ones(2, 3),)])
    assert found["compile"] == "same", "a guard fails, and the function is compiled again"
    assert found["trace"] == "differs"
    assert found["export"] == "differs", "captured, but for one size: the call with the other raises"
    found = verdicts(branches_on_rank, (ones,), [(torch.ones(3, 2),)])
    assert found["export"] == "differs", "with the same size no guard looks at the rank: a wrong result"
    assert found["fx"] == "refuses", "fx does not know the rank"


def test_a_number_read_from_a_tensor():
    found = verdicts(reads_a_value, (ones,), [(twos,)])
    assert found["trace"] == "differs", "to the trace it is a constant"
    assert found["fx"] == found["script"] == "same"


def test_python_that_script_does_not_know():
    found = verdicts(has_a_set, (ones,), [(twos,)])
    assert found["script"] == "refuses"
    assert found["trace"] == found["fx"] == found["export"] == found["compile"] == "same"


def test_arguments_are_left_alone():
    argument = torch.ones(3)
    found = verdicts(writes_its_argument, (argument, twos), [(twos, ones)])
    assert argument.tolist() == [1.0, 1.0, 1.0] and twos.tolist() == [2.0, 2.0, 2.0], "copy the arguments"
    assert found["trace"] == found["fx"] == found["export"] == found["compile"] == "same"


def test_verdicts_do_not_depend_on_what_ran_before():
    integers = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]
    for dtype in [*integers, torch.bfloat16, torch.float16, torch.float32, torch.float64]:
        found = verdicts(straight, (ones.to(dtype),), [(twos.to(dtype),)])
        assert found["compile"] == "same", (
            f"{dtype}: each dtype is a compilation, and their number has a limit"
        )
