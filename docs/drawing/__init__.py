"""The drawings of the documentation: a module for each, and a few parts that they share."""
