"""All that is known of a training on one HTML page: `facts` gathers the numbers, `page` shows them."""
