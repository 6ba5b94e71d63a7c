"""Tests of the Valkey backend: connections, drivers, embedded server."""
