"""Problems of known truth, and what estimates are judged by."""
