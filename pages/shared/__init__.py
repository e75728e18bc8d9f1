"""Code shared by all pages: the only layer that uses both the model and Streamlit."""
