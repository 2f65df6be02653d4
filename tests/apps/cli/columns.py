"""Columns of numbers in the files that commands write."""

import numpy as np
import pandas as pd


def read_numbers(path, names):
    """Return columns of a CSV or Parquet file, shape (n, names), bit by bit: pandas 2 rounds what it reads of CSV."""
    table = pd.read_csv(path, usecols=names, dtype=str) if path.suffix == ".csv" else pd.read_parquet(path)
    return table[names].to_numpy().astype(np.float64)
