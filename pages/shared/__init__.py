"""What pages share: the one place where the model meets Streamlit."""
