"""Tests of the exhaustive tier."""
