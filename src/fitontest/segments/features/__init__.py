"""Features of rows: columns of numbers and categories, conditions on them, and the search for rows of one error."""
