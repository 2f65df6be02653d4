"""The warnings of fitontest; what is simply wrong input raises ValueError."""


class CalibrationWarning(UserWarning):
    """The result is usable, but rests on a rule that the reader should know was applied."""


class SeparableDataWarning(CalibrationWarning):
    """The labels are separated by the score, so the maximum-likelihood map is a limit that no parameter reaches."""


class BlockSizeWarning(CalibrationWarning):
    """Tied scores are too heavy for the default block-size bounds, so the upper one was given up."""
