"""What workers of a team may see of each other under the memory model of C11: every execution of small cases, by the
store's own text.

`orders`: of which order each step is, read off the IR. `text`: workers as state machines, made of the store's text.
`memory`: what a step may see. `explore`: all executions. `cases`: what is explored, and which mistakes are planted.
"""
