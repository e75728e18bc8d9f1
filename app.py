"""The door of Attention Atlas: `streamlit run app.py` shows the pages registered in `views.frame`."""

import streamlit as st

from pages.shared.health import routes
from pages.shared.visits import visited
from pages.shared.warm_up import lifespan
from views import frame, uploads
from views.address import script

if __name__ == "__main__":  # run for each visitor
    frame.run(visited)
else:  # imported once, by the server that is starting
    app = st.App(
        __file__,
        lifespan=lifespan,
        routes=routes(),
        middleware=script.MIDDLEWARE,
        exception_handlers=uploads.HANDLERS,
    )
