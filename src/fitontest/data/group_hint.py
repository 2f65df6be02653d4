"""How rows that belong together are named where these rows were read, and which column may say it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class IdColumn:
    """A column that was not named, and looks like one of groups: by its name, and since its values repeat.

    Attributes
    ----------
    name : str
    values, rows : int
        Distinct values, in how many rows.
    of_all : bool
        Whether these are all rows, or the first ones.
    """

    name: str
    values: int
    rows: int
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
    column : IdColumn or None
        The column that looks like one of groups.
    combined : tuple of str
        The columns that were named, whose combinations of values are the groups.

    Examples
    --------
    >>> str(GroupHint()), str(GroupHint(column=IdColumn("user", 10, 80)))
    ('groups=', "groups='user'")
    >>> str(GroupHint("--group", IdColumn("user", 10, 80)))
    '--group user'
    """

    argument: str = "groups"
    column: IdColumn | None = None
    combined: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.argument.startswith("-"):
            return self.argument if self.column is None else f"{self.argument} {self.column.name}"
        return f"{self.argument}={'' if self.column is None else repr(self.column.name)}"


NO_HINT = GroupHint()
