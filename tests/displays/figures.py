"""What the tests of the diagrams share: blank figures, and pictures as arrays."""

import io

import matplotlib.image
import numpy as np
from matplotlib.figure import Figure


def blank(size=(5, 6)):
    return Figure(figsize=size, layout="constrained")


def plain(size=(5, 6)):
    """Return a figure without a layout, which is drawn in half the time."""
    return Figure(figsize=size)


def pixels(figure):
    """Return the drawn figure as an array of shape (height, width, 4)."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=60)
    buffer.seek(0)
    return matplotlib.image.imread(buffer)


def heights(collection):
    """Return the upper edge of each polygon of a PolyCollection that is filled from zero, as arrays (x, y)."""
    return [path.vertices[1:-2] for path in collection.get_paths()]  # the last vertex closes the polygon


def areas(collection):
    """Return the area of each polygon; the two triangles of one that crosses itself are counted apart."""
    found = []
    for path in collection.get_paths():
        points = path.vertices[:-1]
        top, bottom = points[: len(points) // 2], points[len(points) // 2 :][::-1]
        x = np.linspace(top[0, 0], top[-1, 0], 20_001)
        gap = np.interp(x, top[:, 0], top[:, 1]) - np.interp(x, bottom[:, 0], bottom[:, 1])
        found.append(np.trapezoid(np.abs(gap), x))
    return np.array(found)
