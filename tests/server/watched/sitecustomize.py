"""Python runs this file first when its folder is on PYTHONPATH: it writes down whom the process turns to.

Every connection, every packet to an address, every look-up of a name and every other program that is started become a
line of JSON in the file that ATLAS_WATCHED names. Python tells of them itself, whichever library asks.
"""

import json
import os
import sys

ASKED = {
    "socket.connect": lambda arguments: arguments[1],  # connect_ex too
    "socket.sendto": lambda arguments: arguments[1],
    "socket.sendmsg": lambda arguments: arguments[1],
    "socket.getaddrinfo": lambda arguments: arguments[0],
    "socket.gethostbyname": lambda arguments: arguments[0],  # gethostbyname_ex too
    "socket.gethostbyaddr": lambda arguments: arguments[0],
    "socket.getnameinfo": lambda arguments: arguments[0],
    "subprocess.Popen": lambda arguments: arguments[1],
    "os.system": lambda arguments: arguments[0],
    "os.exec": lambda arguments: arguments[1],
    "os.posix_spawn": lambda arguments: arguments[1],
}

if "ATLAS_WATCHED" in os.environ:
    record = os.open(os.environ["ATLAS_WATCHED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def watch(event: str, arguments: tuple) -> None:
        if event in ASKED:
            os.write(record, json.dumps([event, repr(ASKED[event](arguments))]).encode() + b"\n")

    sys.addaudithook(watch)
