"""A bidder and a player for Sviten Special, to be changed at will.

Check them:  sviten check FILE:NAME
Play them:   sviten simulate --ns FILE:NAME --ew tips/greedy --deals 20000 --duplicate
"""
