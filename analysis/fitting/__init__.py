"""From forced runs and playouts to the numbers that strategies reckon with."""
