"""Turns every ``fot.name`` in running text into a link to the reference; a name that does not exist is a warning."""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

NAME = re.compile(r"fot\.([A-Za-z_][\w.]*)([(\[].*)?", re.DOTALL)


class LinkedNames(SphinxTransform):
    """Wrap literals that are names of the package, with or without arguments, in references."""

    default_priority = 500

    def apply(self, **_: Any) -> None:
        """Replace the literals of the document."""
        for literal in list(self.document.findall(nodes.literal)):
            found = NAME.fullmatch(literal.astext())
            if found and not isinstance(
                literal.parent, (nodes.reference, addnodes.pending_xref)
            ):
                reference = addnodes.pending_xref(
                    "",
                    refdomain="py",
                    reftype="obj",
                    reftarget=f"fitontest.{found[1]}",
                    refdoc=self.env.docname,
                )
                reference["py:module"] = reference["py:class"] = None
                literal.replace_self(reference)
                reference += literal


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(LinkedNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
