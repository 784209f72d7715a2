"""Tables that bidders reckon with, made by `sviten fit`; docs/methods.md has the commands."""
