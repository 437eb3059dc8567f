"""The sibling chart: a rule sees its head and the previous child. O(n³) time, O(n²) memory.

A head's children on one side form a chain, and every rule touches the head and two neighbours of it.
With h the head, c and s children on the same side, c outside s, written for the left side:

    pair(c, s)   two neighbouring children and everything between them
                 = Σ_{c ≤ r < s} right(c, r) · left(s, r+1)
    chain(h, c)  c is a child of h, everything between is done, nothing beyond c yet
                 = right(c, h-1) · stop(h, c) + go(h, c) · Σ_{c < s < h} pair(c, s) · later(h, s) · child(s | h, c)
    later(h, c)  = chain(h, c) · arc(h, c, HAS)                      c was generated after another child
    first(h, c)  = chain(h, c) · go(h, ∅) · child(c | h, ∅) · arc(h, c, NO)       c was generated first
    left(h, h)   = stop(h, ∅)
    left(h, i)   = Σ_{i ≤ c < h} left(c, i) · first(h, c)            h with its left side, down to i
    Z            = Σ_h root(h) · left(h, 1) · right(h, n)

`right` mirrors `left`. Charts over pairs of positions are kept symmetric (left[h, i] = left[i, h], ...):
then both sides share one piece of code, and every inner loop runs along memory.
"""

from __future__ import annotations

from depinduce.chart import sums
from depinduce.chart.functions import Chart, ChartFunctions
from depinduce.chart.sibling import cells, inside, outside, rules, trees

CHART = Chart(
    name="sibling",
    workspace=cells.workspace,
    functions=ChartFunctions(
        context_count=cells.context_count,
        load_rules=rules.load_rules,
        fill_inside=inside.fill_inside,
        root_weight=inside.root_weight,
        start_outside=outside.start_outside,
        seed_outside=outside.seed_outside,
        erase_lane=rules.erase_lane,
        fill_outside=outside.fill_outside,
        root_posterior=outside.root_posterior,
        position_posteriors=outside.position_posteriors,
        cell_count=trees.cell_count,
        expand=trees.expand,
    ),
    templates=(
        *rules.TEMPLATES,
        *sums.TEMPLATES,
        *inside.TEMPLATES,
        *outside.TEMPLATES,
        *trees.TEMPLATES,
    ),
)
