"""Tests of the memory backend: the oracle by hand-worked scenarios, and its two faces."""
