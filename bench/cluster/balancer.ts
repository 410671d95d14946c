import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Starts a load balancer that distributes connections over several servers in turn.
 * @param urls URLs of the servers
 */
export async function startBalancer(urls: string[]): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    const { hostname, port } = new URL(urls[turn++ % urls.length]!);
    const onward = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(socket);
      // If one side breaks, the other is closed, as if the client were connected to the server itself.
      socket.on('error', () => other.destroy());
      socket.once('close', () => sockets.delete(socket));
      socket.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
