import {
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { codeOf, ERRORS, ServiceError } from '../../errors.ts';
import { closeUnread } from '../../system/server.ts';
import { PROTECTION } from './browser-protection.ts';

/**
 * How long an idle connection stays open, in milliseconds: longer than clients and load balancers keep theirs,
 * so that no request meets a connection that was just closed.
 */
const KEEP_ALIVE_MS = 75_000;

/**
 * Creates the HTTP server of the API. What Node would answer by itself and without a body has the shape of
 * every other error: requests that are no HTTP, have too long a header, or do not arrive.
 */
export function createApiServer(app: RequestListener): Server {
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      // A request for any other protocol, such as HTTP/2, is answered as if it had not asked (RFC 9110, 7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    app,
  );
  // Whatever else a client expects is ignored, as RFC 9110, 10.1.1, allows.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  answerClientErrors(server);
  closeUnread(server);
  return server;
}

function answerClientErrors(server: Server): void {
  const last = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => last.set(socket, response));
  server.on('clientError', (error, socket) => {
    const response = last.get(socket);
    // A second response would become a part of the first one.
    const isBegun = response?.headersSent && !response.writableFinished;
    if (!socket.writable || isBegun || codeOf(error) === 'ECONNRESET') socket.destroy();
    else socket.end(messageOf(describe(error)), () => socket.destroy());
  });
}

/** What is wrong with a request that Node could not read. */
function describe(error: Error): ServiceError {
  switch (codeOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError(
        'REQUEST_HEADER_TOO_LARGE',
        'The URL and the headers of the request have more than 16 KB together. Send long values in the body.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError(
        'REQUEST_TOO_SLOW',
        'The request did not arrive in time: its header within 60 seconds, all of it within 5 minutes. Send it again, over a faster connection.',
      );
    default:
      return new ServiceError(
        'BAD_REQUEST',
        `The request is no HTTP/1.1: ${error.message}. Check the client, or a proxy between it and the service.`,
      );
  }
}

/** A whole HTTP response, after which the connection is closed. */
function messageOf({ code, message }: ServiceError): string {
  const { status } = ERRORS[code];
  const body = JSON.stringify({ success: false, code, error: message });
  const headers = {
    ...PROTECTION,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
