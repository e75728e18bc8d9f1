"""The door of Attention Atlas: `streamlit run app.py` shows the pages registered in `views.navigation`."""

import streamlit as st
from starlette.middleware import Middleware

from pages.shared.fragments import in_turn
from pages.shared.warmup import LOADS, first_answer
from server.headers import FAULTS
from server.health import routes
from server.middleware import door
from server.warm_up import lifespan
from views import navigation
from views.initial_html import FirstPage
from views.version import VERSION

if __name__ == "__main__":  # run for each visitor
    navigation.run(in_turn)
else:  # imported once, by the server that is starting
    st.navigation([lambda: None])  # from now on Streamlit does not run the files of `pages` by itself
    beside = routes(VERSION)
    app = st.App(
        __file__,
        lifespan=lambda app: lifespan(LOADS, app),
        routes=beside,
        middleware=door(
            __file__,
            navigation.available(),
            [route.path for route in beside],
            navigation.MOVED,
            Middleware(FirstPage, answer=first_answer),
        ),
        exception_handlers=FAULTS,
    )
