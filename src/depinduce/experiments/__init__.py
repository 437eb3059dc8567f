"""The paper's experiments: recipes, and the commands that run them."""
