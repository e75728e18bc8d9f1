"""What the pages that show causes of an answer have in common: maps of patched cells, bars of a logit, lenses."""
