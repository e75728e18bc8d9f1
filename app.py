"""The door of Attention Atlas: `streamlit run app.py` shows the pages registered in `views.frame`."""

import streamlit as st
from starlette.middleware import Middleware

from pages.shared.health import routes
from pages.shared.visits import visited
from pages.shared.warm_up import lifespan
from server.addresses import KnownAddresses
from server.headers import FAULTS, SafetyHeaders
from server.hosts import OwnNames
from server.messages import ReadersMessages
from server.origins import OwnOrigin
from server.place import UnnamedPlace
from server.runs import RunsBegin
from server.visitors import SocketsByAddress
from server.waiting_uploads import FewUploads
from views import frame, uploads
from views.address.script import HistoryScript

if __name__ == "__main__":  # run for each visitor
    frame.run(visited)
else:  # imported once, by the server that is starting
    beside = routes()
    outside = [  # what a request and a socket go through, one after the other, before Streamlit sees them
        Middleware(SafetyHeaders),
        Middleware(OwnNames),
        Middleware(OwnOrigin),
        Middleware(HistoryScript),
        Middleware(KnownAddresses, pages=frame.available(), beside=[route.path for route in beside]),
        Middleware(SocketsByAddress),
        Middleware(ReadersMessages),
        Middleware(RunsBegin),
        Middleware(FewUploads),
        Middleware(UnnamedPlace, script=__file__),
    ]
    faults = uploads.HANDLERS | FAULTS
    app = st.App(__file__, lifespan=lifespan, routes=beside, middleware=outside, exception_handlers=faults)
