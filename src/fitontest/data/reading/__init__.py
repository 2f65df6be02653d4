"""The one door: what comes in becomes samples."""
