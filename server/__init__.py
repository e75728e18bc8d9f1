"""Serve many visitors from one process. Imports no page, model or figure; app.py passes in what it needs of them."""
