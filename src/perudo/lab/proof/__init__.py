"""What the champion has to show: every goal measured, kept in a file, and told in docs/agents.md.

``benchmarks/champion.py`` runs it. ``figures`` (what is kept, when a goal is reached), ``matches``
(two, four, six, copies, time), ``rounds`` and ``threshold`` (against those who call by chances),
``bounds`` and ``asking`` (how exploitable it is), ``speed``, ``plan`` (all parts), ``page``.
"""
