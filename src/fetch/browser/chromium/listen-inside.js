/**
 * Runs inside the network of a browser, beside Chromium's start: listens on ports of that network, and passes
 * the listening sockets to the host over the IPC channel. The host then accepts the connections, so the network
 * needs no process of its own for its proxies. The arguments are the list of ports and the IP address; by default
 * that is 127.0.0.1. It is JavaScript, because stripping types would take a fifth of its time.
 */
import { createServer } from 'node:net';

const ports = String(process.argv[2]).split(',').filter(Boolean).map(Number);
const host = process.argv[3] ?? '127.0.0.1';
let unsent = ports.length;
for (const port of ports) {
  const server = createServer();
  server.listen(port, host, () => {
    process.send?.(port, server, {}, (error) => {
      unsent--;
      if (error) process.exit(1);
      if (unsent === 0) process.exit(0);
    });
  });
}
if (unsent === 0) process.exit(0);
