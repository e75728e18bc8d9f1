"""Record the process's connections, packets, name look-ups and subprocesses with an audit hook.

Python runs this file first when its folder is on PYTHONPATH. Each event becomes a line of JSON in the file
ATLAS_WATCHED, whichever Python library causes it.
"""

import json
import os
import sys

TARGETS = {
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

    def write(event: str, arguments: tuple) -> None:
        if event in TARGETS:
            os.write(record, json.dumps([event, repr(TARGETS[event](arguments))]).encode() + b"\n")

    sys.addaudithook(write)
