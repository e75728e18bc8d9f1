"""Any Hugging Face checkpoint as a `TracedModel`. The only part of `model` that imports `transformers`."""
