"""Trees to numbers: attachment scores, baselines, properties of trees."""
