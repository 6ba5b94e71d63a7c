"""Every server that is there, with each protocol, on each topology: a verdict for each.

`python -m echomq_conformance.server_matrix`, or `nox -s matrix`.
"""
