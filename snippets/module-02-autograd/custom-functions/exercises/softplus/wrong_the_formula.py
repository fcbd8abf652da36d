"""Computes the formula as it is written, whose exponential overflows and whose sum loses small numbers."""

import solution


class Softplus(solution.Softplus):
    @staticmethod
    def forward(x):
        return (1 + x.exp()).log()
