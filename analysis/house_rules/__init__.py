"""Rule sets side by side: whom they favour, luck, skill, drama."""
