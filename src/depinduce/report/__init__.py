"""Numbers to pictures: trees in the terminal and as SVG."""
