"""Tests of a strategy before it costs a night: legal, repeatable, blind, and what it takes.

=============  ====================================================================
`verdict`      what a check comes to
`watch`        compiled: what a strategy does with its view, decision by decision
`scripted`     compiled: seats that call and play as they are told
`stage`        engines with watched seats, and who sits there
`playing`      many hands: legal, the view left alone, memory, the same rows again
`blind`        other hidden cards, another seed: the same answers
`origins`      what the source names that is neither view nor stream
`speed`        microseconds a decision
`child`        all of these, in a process that may be ended
`guard`        starts that process, looks on, and ends it where it hangs
=============  ====================================================================
"""
