import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Logger } from '../../system/logger.ts';
import { listen, onUpgrade, refuseHandshake, refuseUpgrade } from '../../system/server.ts';
import { giveToSession, PROTOCOL_SOCKET } from '../session-directory.ts';
import { MAX_MESSAGE_BYTES } from './client-socket.ts';
import { MAX_CLIENTS } from './protocol-clients.ts';
import { sessionFullError } from './session-full-error.ts';

/**
 * Connections at once: those of all clients, that of the profile, and some whose handshakes are under way.
 * Further ones are closed unread, because each takes a file descriptor of this process.
 */
const MAX_CONNECTIONS = MAX_CLIENTS + 8;
/** How long the handshake of a client may take, in milliseconds, and how often that is checked. */
const HANDSHAKE_MS = 10_000;
const CHECK_MS = 2_000;
/** Size of the headers of a handshake, in bytes. */
const MAX_HEADER_BYTES = 8 * 1024;

/** The Unix socket of a session on which its sandboxes speak the DevTools protocol. */
export interface ProtocolSocket {
  /** URL for the profile of the session. */
  profileUrl: string;
  close(): void;
}

/** Options of {@link serveProtocolSocket}. */
export interface ProtocolSocketOptions {
  /** Whether another client of code may connect. */
  hasRoom(): boolean;
  onClient(socket: WebSocket, purpose: 'code' | 'profile'): void;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Serves the socket of the DevTools protocol in a directory of a session. The host's own Playwright connects
 * to it too, at a path that code of users does not know.
 */
export async function serveProtocolSocket(
  directory: string,
  { hasRoom, onClient, logger }: ProtocolSocketOptions,
): Promise<ProtocolSocket> {
  const onError = (error: unknown) =>
    logger.warn({ err: error }, 'a client of the DevTools protocol could not be connected');
  const profilePath = `/profile-${randomUUID()}`;
  const server = createServer(
    {
      headersTimeout: HANDSHAKE_MS,
      requestTimeout: HANDSHAKE_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (_request, response) => {
      response.writeHead(404, { Connection: 'close' }).end();
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  }).on('wsClientError', refuseHandshake);
  onUpgrade(
    server,
    (request, stream, head) => {
      const purpose = request.url === profilePath ? 'profile' : 'code';
      if (purpose === 'code' && !hasRoom()) return refuseUpgrade(stream, sessionFullError());
      return sockets.handleUpgrade(request, stream, head, (socket) => {
        socket.on('error', () => socket.terminate());
        onClient(socket, purpose);
      });
    },
    onError,
  );
  const path = join(directory, PROTOCOL_SOCKET);
  await listen(server, { path }, onError);
  await giveToSession(path);
  return {
    profileUrl: `ws+unix:${path}:${profilePath}`,
    close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    },
  };
}
