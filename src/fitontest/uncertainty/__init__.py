"""What chance alone does to a measure: labels redrawn under any measure and family."""
