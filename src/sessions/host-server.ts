import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { WebSocketServer } from 'ws';
import { HOST_REQUEST_HEADER, isHostRequest } from '../encryption/host-request.ts';
import type { HostedSession } from './hosted-session.ts';
import { MAX_MESSAGE_BYTES } from './protocol-client.ts';
import type { SessionHost } from './session-host.ts';

/** A session's path on its host: the id, and what is requested of it. */
const PATH = /^\/sessions\/([0-9a-f-]{36})\/(cdp)(?:\?|$)/;

/** The server by which the API reaches the sessions of a host. */
export interface HostServer {
  /** URL inside the cluster, without a trailing slash. */
  url: string;
  close(): void;
}

/**
 * Serves the sessions of a host to the API, which signs its requests.
 * @param options.address IP address to listen on; `0.0.0.0` for all, of which the first external one is announced
 * @param options.port port; 0 for a free one
 */
export async function serveSessions(
  host: SessionHost,
  { address, port, secretKey }: { address: string; port: number; secretKey: string },
): Promise<HostServer> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const isAllowed = ({ method = '', url: path = '', headers }: IncomingMessage) =>
    isHostRequest(secretKey, { method, path, signature: String(headers[HOST_REQUEST_HEADER] ?? '') });
  const findSession = async (request: IncomingMessage): Promise<[HostedSession, string] | undefined> => {
    const [, id = '', resource = ''] = PATH.exec(request.url ?? '') ?? [];
    const session = isAllowed(request) ? await host.find(id) : undefined;
    return session && !session.hasEnded ? [session, resource] : undefined;
  };

  const server = createServer((_request, response: ServerResponse) => {
    response.writeHead(404).end();
  });
  server.on('upgrade', (request, stream, head) => {
    void findSession(request).then((found) => {
      if (!found) return stream.end('HTTP/1.1 410 Gone\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      const [session] = found;
      return sockets.handleUpgrade(request, stream, head, (socket) => session.addClient(socket));
    });
  });
  server.listen(port, address);
  await once(server, 'listening');
  // Listening on a TCP port, the address is never a path.
  const { port: usedPort } = server.address() as AddressInfo;
  return {
    url: `http://${announcedAddress(address)}:${usedPort}`,
    close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The address that other machines reach; that of the first network if all are listened on. */
function announcedAddress(address: string): string {
  if (address !== '0.0.0.0' && address !== '::') return address.includes(':') ? `[${address}]` : address;
  const external = Object.values(networkInterfaces())
    .flat()
    .find((each) => each && !each.internal && each.family === 'IPv4');
  return external?.address ?? '127.0.0.1';
}
