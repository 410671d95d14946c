import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { MAX_MESSAGE_BYTES } from './protocol-client.ts';

/** The path at which the host's own Playwright connects, for the profile of a session. */
const PROFILE_PATH = '/profile';

/** The Unix socket of a session on which its sandboxes speak the DevTools protocol. */
export interface ProtocolSocket {
  /** URL for the profile of the session. */
  profileUrl: string;
  close(): void;
}

/** Serves `cdp.sock` in the directory of a session. */
export async function serveProtocolSocket(
  directory: string,
  onClient: (socket: WebSocket, purpose: 'code' | 'profile') => void,
): Promise<ProtocolSocket> {
  const server = createServer((_request, response) => {
    response.writeHead(404).end();
  });
  const sockets = new WebSocketServer({ server, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  sockets.on('connection', (socket, request) => {
    socket.on('error', () => socket.terminate());
    onClient(socket, request.url === PROFILE_PATH ? 'profile' : 'code');
  });
  const path = join(directory, 'cdp.sock');
  server.listen(path);
  await once(server, 'listening');
  return {
    profileUrl: `ws+unix:${path}:${PROFILE_PATH}`,
    close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    },
  };
}
