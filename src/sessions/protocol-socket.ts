import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { MAX_MESSAGE_BYTES } from './protocol-client.ts';

/** The Unix socket of a session on which its sandboxes speak the DevTools protocol. */
export interface ProtocolSocket {
  close(): void;
}

/** Serves `cdp.sock` in the directory of a session. */
export async function serveProtocolSocket(
  directory: string,
  onClient: (socket: WebSocket) => void,
): Promise<ProtocolSocket> {
  const server = createServer((_request, response) => {
    response.writeHead(404).end();
  });
  const sockets = new WebSocketServer({ server, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  sockets.on('connection', (socket) => {
    socket.on('error', () => socket.terminate());
    onClient(socket);
  });
  server.listen(join(directory, 'cdp.sock'));
  await once(server, 'listening');
  return {
    close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    },
  };
}
