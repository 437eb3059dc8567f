"""Numbers to pictures: trees in the terminal and as SVG, learning curves, and the HTML report of a training."""
