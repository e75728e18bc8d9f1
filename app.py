"""The door of Attention Atlas: `streamlit run app.py` shows the pages registered in `views.frame`."""

import streamlit as st
from starlette.middleware import Middleware

from pages.shared.loads import LOADS
from pages.shared.runs import in_turn
from server.addresses import KnownAddresses
from server.headers import FAULTS, SafetyHeaders
from server.health import routes
from server.hosts import OwnNames
from server.messages import ReadersMessages
from server.origins import OwnOrigin
from server.place import UnnamedPlace
from server.visitors import SocketsByAddress
from server.waiting_uploads import FewUploads
from server.warm_up import lifespan
from views import frame
from views.address.script import HistoryScript
from views.controls import uploads

if __name__ == "__main__":  # run for each visitor
    frame.run(in_turn)
else:  # imported once, by the server that is starting
    st.navigation([lambda: None])  # from now on Streamlit does not run the files of `pages` by itself
    beside = routes()
    outside = [  # what a request and a socket go through, one after the other, before Streamlit sees them
        Middleware(SafetyHeaders),
        Middleware(OwnNames),
        Middleware(OwnOrigin),
        Middleware(HistoryScript),
        Middleware(KnownAddresses, pages=frame.available(), beside=[r.path for r in beside], moved=frame.MOVED),
        Middleware(SocketsByAddress),
        Middleware(ReadersMessages),
        Middleware(FewUploads),
        Middleware(UnnamedPlace, script=__file__),
    ]
    faults = uploads.HANDLERS | FAULTS
    app = st.App(__file__, lifespan=lifespan(LOADS), routes=beside, middleware=outside, exception_handlers=faults)
