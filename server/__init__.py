"""Many visitors on one process. Knows no page, no model and no figure; app.py hands it what it needs of them."""
