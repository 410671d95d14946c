import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { isErrorCode, ServiceError, toServiceError } from '../../errors.ts';
import { fieldsOf, parseJson } from '../../json/json-object.ts';
import { sessionFullError } from '../../sessions/protocol/session-full-error.ts';
import { DIRECT_AGENT } from '../../system/direct-agent.ts';
import { HOST_REQUEST_HEADER, signHostRequest } from '../../system/encryption/host-request.ts';
import { refuseUpgrade } from '../../system/server.ts';
import type { ApiDeps } from '../http/route.ts';
import type { SocketLimit } from '../http/socket-limit.ts';
import { HOST_REFUSAL, readHostResponse } from './host-client.ts';
import { findAccessedSession } from './session-access.ts';
import { destroyedError, noSessionError, noViewError, openedSession } from './session-state.ts';
import type { SocketRelays } from './socket-relays.ts';

/**
 * The URL of a session, with what the bearer may do, the secret, and the target as `/json/list` names it: as
 * in Chromium, any id of a browser is the one browser.
 */
const PATH =
  /^\/v2\/(?:browser|interact)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(cdp|view)\/([\w-]{43})(?:\/devtools\/(?:browser\/[\w-]+|page\/(\w{1,64})))?\/?(?:\?|$)/;

/** Whether a WebSocket request is for a session. */
export const isSessionSocket = (path: string) => PATH.test(path);

const SILENT_HOST = new ServiceError(
  'SESSION_FAILED',
  'The host of the browser session does not respond, and nothing was done. Try again.',
);

/** Why the host has refused a client. */
async function refusalOf(response: IncomingMessage, id: string): Promise<ServiceError> {
  const { code, error } = fieldsOf(parseJson(await readHostResponse(response)));
  if (code === 'UNAUTHORIZED') return new ServiceError('SESSION_FAILED', HOST_REFUSAL);
  if (code === 'SESSION_DESTROYED') return destroyedError({ id, end_reason: null });
  if (isErrorCode(code)) return new ServiceError(code, String(error));
  // Hosts of version 1.0.0 refuse with a status alone; during an upgrade, some of them still run.
  if (response.statusCode === 429) return sessionFullError();
  if (response.statusCode === 410) return destroyedError({ id, end_reason: null });
  return response.statusCode === 401 ? new ServiceError('SESSION_FAILED', HOST_REFUSAL) : SILENT_HOST;
}

/** Connects a WebSocket client with the host of its session. */
export async function relaySocket(
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  deps: ApiDeps & { relays: SocketRelays; limit: SocketLimit },
): Promise<void> {
  const [, id = '', kind, secret = '', targetId] = PATH.exec(request.url ?? '') ?? [];
  const resource = kind === 'view' ? 'view' : 'cdp';
  const found = await findAccessedSession({ id, resource, secret }, deps);
  if (!found) return refuseUpgrade(stream, noSessionError());
  const { session, access } = found;
  if (access !== 'cdp' && !session.stream_web_view) return refuseUpgrade(stream, noViewError());
  // One that has gone meanwhile would never be given back.
  if (stream.destroyed) return;
  try {
    stream.once('close', deps.limit.take({ teamId: session.team_id, apiKeyId: session.apiKeyId }));
  } catch (error) {
    return refuseUpgrade(stream, toServiceError(error));
  }
  const host = await openedSession(session, deps).then(
    (opened) => opened.host,
    (error: unknown) => refuseUpgrade(stream, toServiceError(error)),
  );
  if (!host) return;
  const { search } = new URL(request.url ?? '', 'http://api');
  const path = `/sessions/${id}/${access}${targetId === undefined ? search : `?target=${targetId}`}`;
  const upstream = httpRequest(`${host}${path}`, {
    agent: DIRECT_AGENT,
    headers: {
      ...socketHeaders(request),
      [HOST_REQUEST_HEADER]: signHostRequest(deps.config.secretKey, { method: 'GET', path }),
    },
  });
  upstream.on('error', (error) => {
    // The client has gone, which ended the request.
    if (stream.destroyed) return;
    deps.logger.warn({ err: error, session: session.id }, 'the host of a browser session does not respond');
    refuseUpgrade(stream, SILENT_HOST);
  });
  upstream.once('response', (response) => {
    refusalOf(response, id).then(
      (error) => {
        // The secret of the client is right.
        if (error.message === HOST_REFUSAL) deps.logger.warn({ session: session.id }, HOST_REFUSAL);
        refuseUpgrade(stream, error);
      },
      (error: unknown) => refuseUpgrade(stream, toServiceError(error)),
    );
  });
  upstream.once('upgrade', (response, socket, upstreamHead) => {
    // A client that has gone meanwhile does not close again.
    if (stream.destroyed || !stream.writable) {
      socket.destroy();
      stream.destroy();
      return;
    }
    stream.write(`HTTP/1.1 101 Switching Protocols\r\n${acceptHeaders(response, request)}\r\n`);
    if (head.length) socket.write(head);
    const readsCloseFrames = hasValidKey(request);
    deps.relays.join(stream, socket, { firstBytes: upstreamHead, readsCloseFrames });
  });
  stream.once('close', () => upstream.destroy());
  upstream.end();
}

/** What a server appends to the key of a client (RFC 6455, 1.3). */
const ACCEPT_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * The headers of a WebSocket handshake (RFC 6455), without those of the caller's network. The host gets a key
 * of ours: rod sends the key `nil`, which Chromium accepts as any other text, but the host only a valid one.
 */
function socketHeaders({ headers }: IncomingMessage): Record<string, string> {
  const names = ['connection', 'upgrade', 'sec-websocket-version', 'sec-websocket-protocol'];
  const passed = names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : []));
  return { ...Object.fromEntries(passed), 'sec-websocket-key': randomBytes(16).toString('base64') };
}

/**
 * Whether the key of a handshake is one of WebSockets. A client that has written WebSockets without it, as
 * rod has, does not read control frames either.
 */
const hasValidKey = ({ headers }: IncomingMessage) =>
  /^[A-Za-z0-9+/]{22}==$/.test(headers['sec-websocket-key'] ?? '');

/** The headers by which the host has accepted a client, with the reply to the key of the client. */
function acceptHeaders({ rawHeaders: raw }: IncomingMessage, { headers }: IncomingMessage): string {
  const key = headers['sec-websocket-key'] ?? '';
  const accept = createHash('sha1').update(`${key}${ACCEPT_GUID}`).digest('base64');
  let text = '';
  for (let index = 0; index < raw.length; index += 2) {
    const name = String(raw[index]);
    text += `${name}: ${name.toLowerCase() === 'sec-websocket-accept' ? accept : raw[index + 1]}\r\n`;
  }
  return text;
}
