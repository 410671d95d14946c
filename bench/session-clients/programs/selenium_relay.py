"""A port of this machine for a session: chromedriver connects only to a host and a port, without a path."""

import socket
import ssl
import threading
from urllib.parse import urlsplit


def open_port(url):
    """Returns host:port, from which connections lead to the session at the URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_accept, args=(listener, urlsplit(url)), daemon=True).start()
    return f"127.0.0.1:{listener.getsockname()[1]}"


def _accept(listener, url):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=_serve, args=(client, url), daemon=True).start()


def _serve(client, url):
    head = b""
    while b"\r\n\r\n" not in head:
        received = client.recv(65536)
        if not received:
            return
        head += received
    first, _, rest = head.partition(b"\r\n")
    method, path, version = first.split(b" ")
    host = url.hostname
    upstream = socket.create_connection((host, url.port or (443 if url.scheme == "wss" else 80)))
    if url.scheme == "wss":
        upstream = ssl.create_default_context().wrap_socket(upstream, server_hostname=host)
    lines = [b" ".join([method, url.path.encode() + path, version]), b"Host: " + url.netloc.encode()]
    fields, _, body = rest.partition(b"\r\n\r\n")
    lines += [line for line in fields.split(b"\r\n") if not line.lower().startswith((b"host:", b"connection:"))]
    is_socket = b"upgrade: websocket" in fields.lower()
    lines.append(b"Connection: " + (b"Upgrade" if is_socket else b"close"))
    upstream.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + body)
    threading.Thread(target=_pass, args=(client, upstream), daemon=True).start()
    _pass(upstream, client)


def _pass(source, target):
    try:
        while received := source.recv(65536):
            target.sendall(received)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for each in (source, target):
            each.close()
