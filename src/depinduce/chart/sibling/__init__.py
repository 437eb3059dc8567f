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

from depinduce.chart.functions import make_chart
from depinduce.chart.sibling import cells, inside, outside, rules, trees

CHART = make_chart("sibling", cells, rules, inside, outside, trees)
