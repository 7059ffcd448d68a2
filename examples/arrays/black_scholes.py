"""Prices of European calls (OptionPricing)."""

from __future__ import annotations

from usl_soac import schedules, soac
from usl_soac.decorators import Function


@soac
def normal(x: f32) -> f32:
    k = 1.0 / (1.0 + 0.2316419 * abs(x))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * exp(-0.5 * x * x) * poly
    return 1.0 - tail if x > 0.0 else tail


@soac
def black_scholes(price: f32[n], strike: f32[n], years: f32[n], rate: f32, volatility: f32) -> f32[n]:
    def call(s: f32, x: f32, t: f32):
        width = volatility * sqrt(t)
        d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / width
        return s * normal(d1) - x * exp(-rate * t) * normal(d1 - width)

    return map(call, price, strike, years)


# -- schedules


def tuned(program: Function) -> Function:
    """In vectors."""
    return program.schedule(schedules.soac_default)
