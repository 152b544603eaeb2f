"""The errors of training, a small family under ValueError; each says what to do."""


class TrainingError(ValueError):
    """A stage that cannot be run as asked."""


class RecordsError(TrainingError):
    """Records that are not as they should be, or a file that holds none."""


class CheckpointError(TrainingError):
    """A checkpoint that cannot be read, or belongs to another net."""
