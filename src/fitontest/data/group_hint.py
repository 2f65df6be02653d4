"""How rows that belong together are named where these rows were read, and which column may say it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GroupColumn:
    """A column that was not named, and within whose values labels agree.

    Attributes
    ----------
    name : str
    values, rows : int
        Distinct values, in how many rows.
    agreement : float
        Correlation of the residuals of two rows of one value.
    of_all : bool
        Whether these are all rows, or the first ones.
    """

    name: str
    values: int
    rows: int
    agreement: float
    of_all: bool = True

    def __str__(self) -> str:
        return f"{self.values:,} values in {'' if self.of_all else 'the first '}{self.rows:,} rows"


@dataclass(frozen=True)
class GroupHint:
    """What names groups where the rows were read.

    Attributes
    ----------
    argument : str
        What the caller calls the argument: "groups", or an option of the command line.
    column : GroupColumn or None
        The column within whose values labels agree.
    combined : tuple of str
        The columns that were named, whose combinations of values are the groups.

    Examples
    --------
    >>> str(GroupHint()), str(GroupHint(column=GroupColumn("user", 10, 80, 0.4)))
    ('groups=', "groups='user'")
    >>> str(GroupHint("--group", GroupColumn("user", 10, 80, 0.4)))
    '--group user'
    """

    argument: str = "groups"
    column: GroupColumn | None = None
    combined: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.argument.startswith("-"):
            return self.argument if self.column is None else f"{self.argument} {self.column.name}"
        return f"{self.argument}={'' if self.column is None else repr(self.column.name)}"


NO_HINT = GroupHint()
