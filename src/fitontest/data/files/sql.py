"""Names and texts as DuckDB's SQL has them."""


def name_in_sql(text: str) -> str:
    """Return the text in double quotes, as an SQL identifier and as a cell of CSV; quotes within are doubled."""
    return '"' + text.replace('"', '""') + '"'


def text_in_sql(value: object) -> str:
    """Return the value as an SQL string, in single quotes; quotes within are doubled."""
    return "'" + str(value).replace("'", "''") + "'"
