"""The layouts of a pile, exactly.

Others call `solve`, `layouts`, `wild`, `totals` and `area`; the searches behind them are theirs
alone, which ``make check`` sees to.
"""
