"""Features of arcs are those that the CRF autoencoder names, and no two share a number."""

from __future__ import annotations

import numpy as np
from learning.autoencoded import SMALL, features_by_name
from learning.tagged import tagged

from depinduce.grammar.arc_features import TEMPLATES, ArcFeatures, arc_codes


def test_every_feature_has_one_number_and_every_number_one_feature():
    names = features_by_name(SMALL)
    assert len({*names.values()}) == len(names) > 200
    long = tagged("N V D A N V D A N V D A N")
    assert len({*features_by_name(long).values()}) == len(features_by_name(long))
    assert {name[1] for name in features_by_name(long)} == {"1", "2", "3", "4", "5", "6-10", "more"}


def test_features_that_nobody_knows_weigh_nothing():
    codes = arc_codes(SMALL.tags, SMALL.offsets, len(SMALL.tag_vocabulary))
    known = codes.known[::2]
    features = ArcFeatures.of(codes, known)
    weights = np.append(np.arange(1.0, len(known) + 1), 0.0)
    by_code = dict(zip(known.tolist(), weights.tolist(), strict=False))
    root, arc = features.scores(weights)
    assert root.tolist() == [sum(by_code.get(code, 0.0) for code in own) for own in codes.root.tolist()]
    assert arc.tolist() == [sum(by_code.get(code, 0.0) for code in own) for own in codes.arc.tolist()]
    nobody = ArcFeatures.of(codes, np.empty(0, dtype=np.int64))
    assert not nobody.scores(np.zeros(1))[1].any()


def test_counts_of_features_are_those_of_their_arcs():
    codes = arc_codes(SMALL.tags, SMALL.offsets, len(SMALL.tag_vocabulary))
    features = ArcFeatures.of(codes, codes.known)
    root, arc = np.zeros(len(codes.root)), np.zeros(len(codes.arc))
    root[2], arc[5] = 0.5, 2.0
    counts = features.counts(root, arc, len(codes.known))
    assert counts.sum() == TEMPLATES * 2.5
    wanted = np.zeros(len(codes.known) + 1)
    for code in codes.root[2]:
        wanted[codes.known.tolist().index(code)] += 0.5
    for code in codes.arc[5]:
        wanted[codes.known.tolist().index(code)] += 2.0
    assert counts.tolist() == wanted.tolist()
