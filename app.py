"""Entry point of Attention Atlas: `streamlit run app.py` serves the pages registered in `views.navigation`."""

import streamlit as st

try:
    from starlette.middleware import Middleware

    from pages.shared.fragments import queued_run
    from pages.shared.warmup import WARMUPS, initial_answer
    from server.headers import EXCEPTION_HANDLERS
    from server.health import routes
    from server.middleware import middleware_stack
    from server.viewer_files import viewer_route
    from server.warm_up import lifespan
    from views import initial_html, navigation
    from views.version import VERSION
    from views.viewer import built_files
except ModuleNotFoundError as missing:
    raise SystemExit(f"The app needs {missing.name}, which is not installed; run: pip install '.[app]'") from None

if __name__ == "__main__":  # run for each visitor
    navigation.run(queued_run)
else:  # imported once, when the server starts
    st.navigation([lambda: None])  # keeps Streamlit from running the files of `pages` as pages
    extra_routes = [*routes(VERSION), viewer_route(built_files.ROUTE, built_files.answer)]
    app = st.App(
        __file__,
        lifespan=lambda app: lifespan(WARMUPS, app),
        routes=extra_routes,
        middleware=middleware_stack(
            __file__,
            VERSION,
            navigation.page_ids(),
            [route.path for route in extra_routes],
            navigation.MOVED_PAGES,
            Middleware(initial_html.InitialHtmlMiddleware, content=initial_answer),
            language=initial_html.language_of_request,
        ),
        exception_handlers=EXCEPTION_HANDLERS,
    )
