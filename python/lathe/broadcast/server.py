# SPDX-License-Identifier: MIT
"""The server behind ``lathe serve``: one page, a WebSocket for each viewer, a still, a status.

It runs in a thread of its own. The engine encodes frames in another, and tells by a file descriptor
that there is something to send, so neither waits for the App's loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hmac
import ipaddress
import json
import secrets
import threading
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from lathe.broadcast.readable import readable
from lathe.native import native

if TYPE_CHECKING:
    from lathe._lathe import Broadcast, Viewer

__all__ = ["PageServer", "PortError"]

_LONGEST_MESSAGE = 1 << 20  # bytes
_PATIENCE = 20  # seconds without an answer to a ping
_STILL = 2.0  # seconds that a still waits for a frame that nobody has seen yet
_UNSENT = 1 << 16  # bytes that may wait for a slow line beside the frame under way
_SECURITY = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src blob: data:; connect-src 'self'",
}


class PortError(OSError):
    """The port cannot be had."""


class PageServer:
    """Serves a `Broadcast` from a thread of its own until `close`.

    Parameters
    ----------
    broadcast : Broadcast
    host : str
        Address to listen at. Other machines reach none but an address of this machine's network.
    port : int
        0 takes a free one.
    token : str, optional
        What the page's address has to name; random unless given.
    origins : iterable of str
        Of pages elsewhere that may connect, such as ``https://lab.example.org``. A page of this
        server always may.

    Raises
    ------
    PortError
        The port is in use, or may not be had.
    """

    def __init__(
        self,
        broadcast: Broadcast,
        host: str = "127.0.0.1",
        port: int = 8765,
        token: str | None = None,
        origins: Iterable[str] = (),
    ) -> None:
        self._broadcast = broadcast
        self._host = host
        self._token = token or secrets.token_urlsafe(16)
        self._origins = {origin.rstrip("/") for origin in origins}
        self._page = _page()
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._failure: Exception | None = None
        self._stop: asyncio.Event
        self.port = port
        self._thread = threading.Thread(target=self._run, name="lathe serve", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure

    @property
    def url(self) -> str:
        """The page's address, with the token."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        if _is_any(self._host) or host == "127.0.0.1":
            host = "localhost"
        return f"http://{host}:{self.port}/?token={self._token}"

    def close(self) -> None:
        """Ends all lines and the thread."""
        if self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # it has just ended
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def __enter__(self) -> PageServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()
            self._started.set()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        try:
            server = await serve(
                self._view,
                self._host,
                self.port,
                process_request=self._answer,
                compression=None,  # frames are
                max_size=_LONGEST_MESSAGE,
                write_limit=_UNSENT,
                ping_interval=_PATIENCE,
                ping_timeout=_PATIENCE,
                close_timeout=1,
                server_header=None,
            )
        except OSError as error:
            self._failure = PortError(error.errno, _words_of(error, self._host, self.port))
            return
        self.port = _port_of(server)
        self._started.set()
        async with server:
            await self._stop.wait()

    async def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """What a browser asks for by HTTP; None: it wants a WebSocket, and may have one."""
        parts = urlsplit(request.path)
        given = parse_qs(parts.query).get("token", [""])[0]
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return _text(HTTPStatus.FORBIDDEN, "The address has no token, or another one than is "
                         "printed where `lathe serve` runs.")  # fmt: skip
        if parts.path == "/view":
            if request.headers.get("Upgrade", "").lower() != "websocket":
                return _text(HTTPStatus.UPGRADE_REQUIRED, "This address speaks WebSocket only.")
            if not self._is_ours(request.headers):
                return _text(HTTPStatus.FORBIDDEN, "A page of another site may not look.")
            return None
        if parts.path == "/":
            return _response(HTTPStatus.OK, "text/html; charset=utf-8", self._page)
        if parts.path == "/status.json":
            status = json.dumps(self._broadcast.status).encode()
            return _response(HTTPStatus.OK, "application/json", status)
        if parts.path == "/still.png":
            still = await self._loop.run_in_executor(None, self._broadcast.still, _STILL)
            if still is None:
                return _text(HTTPStatus.SERVICE_UNAVAILABLE, "There is no picture yet.")
            return _response(HTTPStatus.OK, "image/png", still)
        return _text(HTTPStatus.NOT_FOUND, "There is no such page.")

    def _is_ours(self, headers: Headers) -> bool:
        """Whether the page that connects came from here; programs name no page."""
        origin = headers.get("Origin")
        if origin is None or origin in self._origins:
            return True
        return urlsplit(origin).netloc == headers.get("Host")

    async def _view(self, connection: ServerConnection) -> None:
        try:
            viewer = self._broadcast.connect()
        except native.Error as error:
            await connection.close(1013, str(error)[:120])
            return
        sending = asyncio.create_task(_send(connection, viewer))
        try:
            async for message in connection:
                if isinstance(message, bytes):
                    viewer.receive_bytes(message)  # of a file
                else:
                    viewer.receive(message)
        except native.Error as error:
            await connection.close(1008, str(error).encode()[:120].decode(errors="ignore"))
        except ConnectionClosed:
            pass
        finally:
            viewer.leave()
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)


async def _send(connection: ServerConnection, viewer: Viewer) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await readable(viewer.signal)
            for packet in viewer.take():
                await connection.send(packet)


def _page() -> bytes:
    here = Path(__file__).parent
    script = (here / "viewer.js").read_text() + (here / "page.js").read_text()
    # One file, so that nothing but the page's address needs the token.
    script = script.replace("export function", "function")
    return (here / "page.html").read_text().replace("/* script */", script).encode()


def _is_any(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_unspecified
    return host == ""


def _port_of(server: WebSocketServer) -> int:
    port: int = next(iter(server.sockets)).getsockname()[1]
    return port


def _words_of(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; another one: --port {port + 1}, or a free one: --port 0"
    if error.errno == errno.EACCES:
        return f"port {port} may not be had; those above 1023 may, as in --port 8765"
    return f"nobody can listen at {host or 'all addresses'}, port {port}: {error.strerror or error}"


def _response(status: HTTPStatus, kind: str, body: bytes) -> Response:
    headers = Headers(_SECURITY)
    headers["Content-Type"] = kind
    headers["Content-Length"] = str(len(body))
    headers["Connection"] = "close"
    return Response(status.value, status.phrase, headers, body)


def _text(status: HTTPStatus, text: str) -> Response:
    return _response(status, "text/plain; charset=utf-8", (text + "\n").encode())
