"""Runs and studies that are played, stopped, resumed, joined, by any number of workers."""
