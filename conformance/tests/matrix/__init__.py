"""Tests of the version matrix and of targets in containers."""
