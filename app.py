"""The door of Attention Atlas: `streamlit run app.py` shows the pages registered in `views.frame`."""

import streamlit as st

from pages.shared.warm_up import lifespan
from views import frame, uploads

if __name__ == "__main__":  # run for each visitor
    frame.run()
else:  # imported once, by the server that is starting
    app = st.App(__file__, lifespan=lifespan, exception_handlers=uploads.HANDLERS)
