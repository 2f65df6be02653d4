"""CSV and Parquet files as columns, with the place of every bad value."""
