"""How results are shown: texts, tables, figures, pages."""
