"""Networks from the papers, written so that every step can pass a tap."""
