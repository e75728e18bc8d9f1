"""Run replicas as processes with the files, environment and command of the image, behind a real nginx."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from tests.deploy import image
from tests.deploy.proxy import PATIENCE, Proxy
from tests.deploy.visitor import HttpVisitor
from tests.processes import answers_http, free_port, wait_until

HEALTH = "/healthz"
SECRET = "the same for all of them"
HOOKS = Path(__file__).with_name("hooks_processes.sh")


class Replica:
    """One server. `start` and `stop` may be repeated; a new process takes the same port.

    Args:
        folder: the files as the image has them.
        variables: of the environment, in addition to those of the image.
    """

    def __init__(self, folder: Path, **variables: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.name = f"127.0.0.1:{self.port}"
        self._folder, self._variables = folder, variables
        self._log = folder.with_name(f"replica-{self.port}.log")
        self._process: subprocess.Popen | None = None

    @property
    def pid(self) -> int:
        """Id of the current process."""
        return self._process.pid

    def start(self) -> None:
        """Start a process; returns at once."""
        settings = image.environment() | {
            "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
            "STREAMLIT_SERVER_PORT": str(self.port),
            "STREAMLIT_SERVER_COOKIE_SECRET": SECRET,
            "STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost 127.0.0.1",
            "ATLAS_TRUSTED_PROXIES": "127.0.0.1",
            "OMP_NUM_THREADS": "1",
        }
        program, *arguments = image.command()
        assert program == "python"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self._folder,
                env=os.environ | settings | self._variables,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait_until_healthy(self) -> None:
        """Return once the health route answers."""
        wait_until(lambda: answers_http(self.url + HEALTH), self._process, "A replica", self.log, PATIENCE)

    def kill(self) -> None:
        """Kill it, as in a machine's failure."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Terminate it as Docker does, and wait."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=30)

    def log(self) -> str:
        """The output of all its processes."""
        return self._log.read_text(encoding="utf-8", errors="replace")


class Site:
    """Three replicas and their proxy; use it with `with`.

    Args:
        settings: in the environment of the replicas and of render.sh.
    """

    def __init__(self, folder: Path, count: int = 3, **settings: str) -> None:
        self.folder = folder
        app = folder / "app"
        app.mkdir()
        image.build(app)
        self.replicas = [Replica(app, **settings) for _ in range(count)]
        self.proxy = Proxy(folder / "proxy", REPLICAS=self.names, **settings)
        self.url = self.proxy.url
        self._stack = ExitStack()

    @property
    def names(self) -> str:
        """The value of REPLICAS for this site."""
        return " ".join(replica.name for replica in self.replicas)

    def of(self, port: int) -> Replica:
        """The replica of a visitor's cookie."""
        return next(replica for replica in self.replicas if replica.port == port)

    def __enter__(self) -> Site:
        with ExitStack() as stack:
            for replica in self.replicas:
                replica.start()
                stack.callback(replica.kill)
            for replica in self.replicas:
                replica.wait_until_healthy()
            stack.enter_context(self.proxy)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def revive(self, replica: Replica) -> None:
        """Start a killed replica again, and wait until nginx sends new visitors to it."""
        replica.start()
        replica.wait_until_healthy()
        deadline = time.monotonic() + PATIENCE
        while HttpVisitor(self.url).arrive() != replica.port:
            assert time.monotonic() < deadline
            time.sleep(0.2)

    def roll(self, drain_seconds: int, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run deploy/rolling_restart.sh on the replicas; this process, their parent, stops and starts them.

        Args:
            variables: further ones of its environment.
        """
        orders = self.folder / "orders"
        orders.mkdir(exist_ok=True)
        over = threading.Event()
        worker = threading.Thread(target=self._restart_on_order, args=(orders, over))
        worker.start()
        settings = {
            "HOOKS": str(HOOKS),
            "ORDERS": str(orders),
            "REPLICAS": self.names,
            "DRAIN_SECONDS": str(drain_seconds),
            "PROXY": str(self.proxy.folder),
            "PYTHON": sys.executable,
            "HEALTH": HEALTH,
        }
        try:
            return subprocess.run(
                ["sh", str(image.ROOT / "deploy" / "rolling_restart.sh")],
                env=os.environ | settings | variables,
                capture_output=True,
                text=True,
                timeout=300,
            )
        finally:
            over.set()
            worker.join()

    def _restart_on_order(self, orders: Path, over: threading.Event) -> None:
        """Restart each replica whose name appears as a file in `orders`, and remove the file afterwards."""
        while not over.wait(0.05):
            for order in orders.iterdir():
                replica = self.of(int(order.name))
                replica.stop()
                replica.start()
                order.unlink()
