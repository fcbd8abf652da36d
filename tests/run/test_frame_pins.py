"""The address of a frame is that of its function."""

from __future__ import annotations

import pytest
from inside_torch.run.frame_pins import agrees

ENGINE = "torch::autograd::Engine::execute"


@pytest.mark.parametrize(
    ("symbol", "address"),
    [
        (ENGINE, "src:torch/csrc/autograd/engine.cpp::Engine::execute"),
        (ENGINE, "src:torch/csrc/autograd/engine.cpp::torch::autograd::Engine::execute"),
        (ENGINE, "src:torch/csrc/autograd/engine.h::Engine#virtual variable_list execute("),
        (ENGINE, "src:torch/csrc/autograd/engine.cpp::Engine::execute#graph_task->exec_info_"),
        (ENGINE, "src:torch/csrc/autograd/engine.h::Engine"),
        (ENGINE, "src:torch/csrc/autograd/engine.cpp"),
        ("torch::autograd::Node::operator()", "src:torch/csrc/autograd/node.h::Node::operator()"),
        ("torch::autograd::Node::~Node", "src:torch/csrc/autograd/node.h::Node#~Node() override;"),
        ("at::(anonymous namespace)::f::{lambda#1}::operator()", "src:aten/src/ATen/a.cpp::f"),
        ("at::f", "src:aten/src/ATen/a.h::f(const Tensor&, bool)"),
        ("at::_ops::add_out::call", "src:aten/src/ATen/native/native_functions.yaml::add.out"),
        ("at::wrapper_CPU_add_Tensor", "src:aten/src/ATen/native/native_functions.yaml::add.Tensor"),
        ("at::VariableType::add__Tensor", "src:tools/autograd/derivatives.yaml::add.Tensor"),
        ("ns::generated::AddBackward0::~AddBackward0", "src:tools/autograd/derivatives.yaml::add.Tensor"),
        ("ns::SiluBackwardBackward0::apply", "src:tools/autograd/derivatives.yaml::silu_backward"),
    ],
)
def test_it_is(symbol, address):
    assert agrees(symbol, address)


@pytest.mark.parametrize(
    ("symbol", "address"),
    [
        (ENGINE, "src:torch/csrc/autograd/engine.cpp::Engine::thread_main"),
        (ENGINE, "src:torch/csrc/autograd/python_engine.cpp::PythonEngine::execute"),
        (ENGINE, "src:torch/csrc/autograd/engine.h::Engine#virtual void thread_main("),
        (ENGINE, "src:torch/csrc/autograd/engine.h::GraphTask"),
        (ENGINE, "src:torch/csrc/autograd/engine.h#struct GraphTask"),
        ("at::f::{lambda#1}::operator()", "src:aten/src/ATen/a.cpp::g"),
        ("at::f::{lambda#1}::operator()", "src:aten/src/ATen/a.cpp::f::operator()"),
        ("at::_ops::add_out::call", "src:aten/src/ATen/native/native_functions.yaml::add.Tensor"),
        ("at::_ops::add_Tensor::call", "src:aten/src/ATen/native/native_functions.yaml::sub.Tensor"),
        ("at::wrapper_CPU_add_Tensor", "src:aten/src/ATen/native/native_functions.yaml::add_.Tensor"),
        ("ns::generated::AddBackward0::apply", "src:tools/autograd/derivatives.yaml::addmm"),
        ("at::native::add", "src:torchgen/dest/ufunc.py::compute_ufunc_cpu_kernel"),
    ],
)
def test_it_is_another(symbol, address):
    assert not agrees(symbol, address)
