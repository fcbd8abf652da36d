"""Runs what the book shows: probes, programs, exercises, measurements, call paths."""
