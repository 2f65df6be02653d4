"""The drawing of trees."""
