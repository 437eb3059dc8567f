"""The grandparent chart, which is also the first-order one: a rule sees its head and the head's head.

O(n³ · G) time with G the number of different grandparents, as contexts, in the sentence: two grandparents
with the same tag give the same numbers. A first-order grammar has one context, and this is Eisner's chart.

h is a head, g the context of its children (its own head), v the valence; written for the left side:

    link(h, c; g, v)   = go(h, g, v) · child(c | h, g, v) · arc(h, c, v)
    gap(h, c; g)       = Σ_{c ≤ r < h} right(c, r; h, NO) · left(h, r+1; g, HAS)      c hangs on h, all between done
    open(h, c; g, v)   = link(h, c; g, v) · gap(h, c; g)
    left(h, h; g, v)   = stop(h, g, v)
    left(h, i; g, v)   = Σ_{i ≤ c < h} left(c, i; h, NO) · open(h, c; g, v)
    Z                  = Σ_h root(h) · left(h, 1; ROOT, NO) · right(h, n; ROOT, NO)

Where h stands for a context, it is that of h as a grandparent: `places[OWN_CONTEXT, h]`. `right` mirrors
`left`; charts are symmetric in their positions as in `sibling`. A chart over (g, v) has its contexts
outermost, so that inner loops run along memory.
"""

from __future__ import annotations

from depinduce.chart.functions import make_chart
from depinduce.chart.grandparent import cells, inside, outside, rules, trees

CHART = make_chart("grandparent", cells, rules, inside, outside, trees)
