"""Tables: records, and their forms as text, frames and HTML. Nothing of calibration is in here."""
