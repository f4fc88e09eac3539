import pytest

from durations import parse, render


@pytest.mark.parametrize(
    "text, seconds",
    [("90s", 90), ("1h30m", 5400), ("2d", 172800), (" 10M ", 600)],
)
def test_parse(text, seconds):
    assert parse(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "1h30", "h1", "1h-30m", "5 m s"])
def test_parse_refuses_what_is_no_duration(text):
    with pytest.raises(ValueError):
        parse(text)


@pytest.mark.parametrize(
    "seconds, text",
    [(90, "1m30s"), (5400, "1h30m"), (172800, "2d"), (0, "0s")],
)
def test_render(seconds, text):
    assert render(seconds) == text
