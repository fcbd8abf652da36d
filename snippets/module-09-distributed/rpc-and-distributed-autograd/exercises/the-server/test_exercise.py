"""What a server has to answer, first alone, then to two trainers in processes of their own."""

import sys
from functools import partial
from pathlib import Path

import pytest
import torch
from exercise import Server
from torch.distributed import rpc
from torch.multiprocessing import ProcessRaisedException

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from workers import processes

START = torch.tensor([1.0, 2.0])


def grads(*numbers):
    return [torch.tensor([number, -number]) for number in numbers]


@pytest.fixture
def server():
    return Server(START.clone(), trainers=2, rate=0.5)


def test_one_trainer_is_answered_at_once():
    server = Server(START.clone(), trainers=1, rate=0.5)
    (grad,) = grads(2.0)
    assert server.push(grad).value().tolist() == [0.0, 3.0]
    assert server.pull().tolist() == [0.0, 3.0]


def test_nobody_is_answered_before_all_have_pushed(server):
    first, second = grads(2.0, 4.0)
    waiting = server.push(first)
    assert not waiting.done()
    assert server.pull().tolist() == [1.0, 2.0]
    server.push(second)
    assert waiting.done()


def test_the_step_is_by_the_mean(server):
    answers = [server.push(grad) for grad in grads(2.0, 4.0)]
    assert [answer.value().tolist() for answer in answers] == [[-0.5, 3.5]] * 2


def test_each_round_has_its_answer(server):
    rounds = []
    for pair in (2.0, 4.0), (1.0, 1.0), (0.0, 8.0):
        answers = [server.push(grad) for grad in grads(*pair)]
        rounds.append([answer.value().tolist() for answer in answers if answer.done()])
    assert rounds == [[[-0.5, 3.5]] * 2, [[-1.0, 4.0]] * 2, [[-3.0, 6.0]] * 2]


def test_weights_that_were_given_do_not_change(server):
    pulled = server.pull()
    answers = [server.push(grad) for grad in grads(2.0, 4.0)]
    for grad in grads(1.0, 1.0):
        server.push(grad)
    assert pulled.tolist() == [1.0, 2.0]
    assert answers[0].value().tolist() == [-0.5, 3.5]


def test_the_gradients_that_were_pushed_do_not_change(server):
    pair = grads(2.0, 4.0)
    for grad in pair:
        server.push(grad)
    assert [grad.tolist() for grad in pair] == [[2.0, -2.0], [4.0, -4.0]]


served = []  # the server's process has one


def pull():
    return served[0].pull()


@rpc.functions.async_execution
def push(grad):
    return served[0].push(grad)


def train(number):
    weight = rpc.rpc_sync("server", pull)
    for _ in range(3):
        weight = rpc.rpc_sync("server", push, args=(weight * (number + 1),))
    return weight.tolist()


def test_two_trainers_in_processes_of_their_own():
    served[:] = [Server(START.clone(), trainers=2, rate=0.5)]
    trainers = {f"trainer{number}": partial(train, number) for number in range(2)}
    try:
        found = processes({"server": None, **trainers})
    except ProcessRaisedException as problem:
        raise AssertionError(f"a trainer's process failed: {problem}") from None
    # each step takes 0.5 * (1 + 2) / 2 of the weights away
    assert found["trainer0"] == found["trainer1"] == [1 / 64, 2 / 64]
