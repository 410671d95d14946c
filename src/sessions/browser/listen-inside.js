/**
 * Runs inside the sandbox of a browser, before Chromium: listens on a port of the sandbox's own network, and
 * passes the listening socket to the host over the IPC channel. The host then accepts the connections, so the
 * sandbox needs no process of its own for its proxy. The only argument is the port. It is JavaScript, because
 * stripping types would take a fifth of its time.
 */
import { createServer } from 'node:net';

const server = createServer();
server.listen(Number(process.argv[2]), '127.0.0.1', () => {
  process.send?.('listening', server, {}, (error) => process.exit(error ? 1 : 0));
});
