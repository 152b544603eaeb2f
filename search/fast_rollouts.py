"""Playouts by the fast policy of Go: the file of weights that an agent is told to take."""

from pathlib import Path

from pydantic import Field, field_validator

import gtpcore
from search.agent import AgentParams, file_field


class FastRolloutParams(AgentParams):
    """Parameters of every agent whose playouts may follow a fast policy."""

    rollout: Path | None = file_field(
        None, "Go: weights of a fast policy that playouts follow: rollout, or a file"
    )
    temperature: float = Field(
        0.5, ge=1e-3, le=1e3, description="sharpens the fast policy below 1, evens it out above"
    )

    @field_validator("rollout")
    @classmethod
    def _is_a_policy(cls, path: Path | None) -> Path | None:
        if path is not None:
            try:
                gtpcore.GoFastPolicy(path.read_bytes())
            except OSError as error:
                raise ValueError(f"{path}: it cannot be read: {error.strerror}") from None
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
        return path

    def fast_policy(self, prior_weight: float = 1.0) -> gtpcore.GoFastPolicy | None:
        """The playouts that `rollout` names; None if it names none."""
        if self.rollout is None:
            return None
        return gtpcore.GoFastPolicy(
            self.rollout.read_bytes(), temperature=self.temperature, prior_weight=prior_weight
        )
