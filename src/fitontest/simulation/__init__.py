"""Problems of known truth, and the errors of estimates against it."""
