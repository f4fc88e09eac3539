"""Reads and writes durations such as 1h30m."""

import re

UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
PART = re.compile(r"(\d+)([dhms])")


def parse(text):
    """Return the seconds in a duration such as "2d", "1h30m" or "90s"."""
    text = text.strip().lower()
    total = 0
    for number, unit in PART.findall(text):
        total += int(number) * UNITS[unit]
    return total


def render(seconds):
    """Return the shortest text for a number of seconds, largest unit first."""
    if seconds < 0:
        raise ValueError("a duration cannot be negative")
    parts = []
    for unit, size in UNITS.items():
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts)
