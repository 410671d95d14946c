import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { findSession, type StoredSession } from '../../db/sessions.ts';
import { HOST_REQUEST_HEADER, signHostRequest } from '../../encryption/host-request.ts';
import { equalSecrets, sessionSecret } from '../../encryption/session-secrets.ts';
import type { ApiDeps } from '../http/route.ts';

/** The URL of a session, with what the bearer may do and the secret. */
const PATH = /^\/v2\/(?:browser|interact)\/([0-9a-f-]{36})\/(cdp|view)\/([\w-]{43})\/?(?:\?|$)/;

/** Whether a WebSocket request is for a session. */
export const isSessionSocket = (path: string) => PATH.test(path);

/**
 * Connects a WebSocket client with the host of its session. After the host has accepted it, bytes pass in both directions
 * unread.
 */
export async function relaySocket(
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  deps: ApiDeps,
): Promise<void> {
  const session = await findByUrl(request.url ?? '', deps);
  if (!session) return refuse(stream, '404 Not Found');
  if (session.state === 'destroyed' || !session.host) return refuse(stream, '410 Gone');
  const path = `/sessions/${session.id}/${session.resource}`;
  const upstream = httpRequest(`${session.host}${path}`, {
    headers: {
      ...socketHeaders(request),
      [HOST_REQUEST_HEADER]: signHostRequest(deps.config.secretKey, { method: 'GET', path }),
    },
  });
  upstream.once('error', (error) => {
    deps.logger.warn({ err: error, session: session.id }, 'the host of a browser session does not respond');
    refuse(stream, '502 Bad Gateway');
  });
  upstream.once('response', (response) => {
    response.resume();
    refuse(stream, `${response.statusCode} ${response.statusMessage}`);
  });
  upstream.once('upgrade', (response, socket, upstreamHead) => {
    stream.write(`HTTP/1.1 101 Switching Protocols\r\n${rawHeaders(response)}\r\n`);
    if (upstreamHead.length) stream.write(upstreamHead);
    if (head.length) socket.write(head);
    join(stream, socket);
  });
  stream.once('error', () => upstream.destroy());
  upstream.end();
}

/** Finds the session that a URL gives access to; `undefined` if the secret is wrong. */
async function findByUrl(
  path: string,
  { db, config }: ApiDeps,
): Promise<(StoredSession & { resource: string }) | undefined> {
  const [, id = '', resource = '', secret = ''] = PATH.exec(path) ?? [];
  const session = await findSession(db, id);
  if (!session) return undefined;
  const matches = (access: 'cdp' | 'view' | 'control') =>
    equalSecrets(secret, sessionSecret(config.secretKey, { id, salt: session.salt, access }));
  if (resource === 'cdp') return matches('cdp') ? { ...session, resource } : undefined;
  return undefined;
}

/** The headers of a WebSocket handshake (RFC 6455), without those of the caller's network. */
function socketHeaders({ headers }: IncomingMessage): Record<string, string> {
  const names = [
    'connection',
    'upgrade',
    'sec-websocket-key',
    'sec-websocket-version',
    'sec-websocket-protocol',
  ];
  return Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
}

function rawHeaders({ rawHeaders: raw }: IncomingMessage): string {
  let text = '';
  for (let index = 0; index < raw.length; index += 2) text += `${raw[index]}: ${raw[index + 1]}\r\n`;
  return text;
}

function join(one: Duplex, other: Duplex): void {
  // An error of one side ends the other; `close` follows it.
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.once('close', () => to.destroy());
  }
}

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
