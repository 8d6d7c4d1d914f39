"""Devices that shorten a start, each measured: without them a command takes twice as long."""
