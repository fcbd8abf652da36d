"""Takes the plan with the lowest peak, whatever it runs again."""

from solution import peak_of, plans


def cheapest(chain, budget):
    plan = min(plans(len(chain)), key=lambda plan: peak_of(chain, plan))
    return plan if peak_of(chain, plan) <= budget else None
