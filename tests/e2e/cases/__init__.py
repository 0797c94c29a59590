"""The tests. harness/suite.py says what a test is."""
