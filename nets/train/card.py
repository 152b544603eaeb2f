"""The model card of a net: what it is, what it learned from, how good it is, and how to remake it.

After Mitchell et al., Model cards for model reporting, 2019.
"""

from collections.abc import Mapping
from typing import Any

from nets.train.fit import Progress

TEMPLATE = """# {title}: {role}

| | |
|---|---|
{rows}
"""
CURVES = """
![Learning curves]({role}.png)
"""


def write_card(
    title: str, role: str, model: Any, progress: Progress, facts: Mapping[str, Any]
) -> str:
    """The card in Markdown; `facts` are rows of its table, after those of the net."""
    planes = " x ".join(str(side or "any") for side in model.input_shape[1:])
    rows: dict[str, Any] = {
        "net": f"planes {planes} to {' and '.join(model.output_names)}",
        "size": f"{model.count_params():,} parameters",
        "training": f"{progress.step:,} steps, {duration(progress.seconds)}",
        **facts,
    }
    return write_table(title, role, rows) + CURVES.format(role=role)


def write_table(title: str, role: str, rows: Mapping[str, Any]) -> str:
    """A card of nothing but such rows, as of what is no net."""
    lines = [f"| {name.replace('_', ' ')} | {_cell(value)} |" for name, value in rows.items()]
    return TEMPLATE.format(title=title, role=role, rows="\n".join(lines))


def duration(seconds: float) -> str:
    """A time as people say it: `42 s`, `3 min 5 s`, `2 h 10 min`."""
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {_cell(each)}" for key, each in value.items())
    return str(value)
