import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { messageOf, policyOf, ServiceError, toServiceError } from '../errors.ts';
import { liveViewQuery, MAX_VIEWER_MESSAGE_BYTES } from '../schemas/live-view.ts';
import { LANGUAGES } from '../schemas/session.ts';
import { HOST_REQUEST_HEADER, HostRequestCheck } from '../system/encryption/host-request.ts';
import type { Logger } from '../system/logger.ts';
import { listen, onUpgrade, refuseHandshake, refuseUpgrade } from '../system/server.ts';
import type { HostedSession } from './hosted-session.ts';
import type { RunPrompt } from './prompts/prompt-runner.ts';
import { MAX_MESSAGE_BYTES } from './protocol/client-socket.ts';
import { sessionFullError } from './protocol/session-full-error.ts';
import type { SessionHost } from './session-host.ts';

/** A session's path on its host: the id, what is requested of it, and the name of a file. */
const PATH =
  /^\/sessions\/([0-9a-f-]{36})\/(open|cdp|view|control|execute|prompt|downloads|files|targets|replay)(?:\/([^/?]+))?(?:\?|$)/;
/** Code of 100,000 characters takes at most six bytes each as JSON. */
const MAX_BODY_BYTES = 1024 * 1024;
const codeRequest = z.object({
  code: z.string(),
  language: z.enum(LANGUAGES),
  timeoutMs: z.number(),
});

const promptRequest = z.object({ prompt: z.string(), timeoutMs: z.number() });

/** The server by which the API reaches the sessions of a host. */
export interface HostServer {
  /** URL inside the cluster, without a trailing slash. */
  url: string;
  close(): void;
}

/** Options of {@link serveSessions}. */
export interface HostServerOptions {
  /** IP address to listen on; `0.0.0.0` for all, of which the first external one is announced. */
  address: string;
  /** Port; 0 for a free one. */
  port: number;
  secretKey: string;
  /** Opens a stored session. */
  open(id: string): Promise<void>;
  runPrompt: RunPrompt;
  logger: Pick<Logger, 'error' | 'warn'>;
}

/**
 * Serves the sessions of a host to the API, which signs its requests.
 * @throws ServiceError `BAD_REQUEST` if the port is taken, or the address is none of this machine
 */
export async function serveSessions(
  host: SessionHost,
  { address, port, secretKey, open, runPrompt, logger }: HostServerOptions,
): Promise<HostServer> {
  const clients = acceptSockets(MAX_MESSAGE_BYTES);
  const viewers = acceptSockets(MAX_VIEWER_MESSAGE_BYTES);
  const check = new HostRequestCheck(secretKey);
  const read = ({ method = '', url: path = '', headers }: IncomingMessage): SignedPath | undefined => {
    const signature = String(headers[HOST_REQUEST_HEADER] ?? '');
    if (!check.accepts({ method, path, signature })) return undefined;
    const [, id = '', resource = '', name] = PATH.exec(path) ?? [];
    return { id, resource, name };
  };
  const find = async (path: SignedPath | undefined): Promise<Found> => {
    if (!path) return 'unauthorized';
    const session = await host.find(path.id).catch(() => undefined);
    return session && !session.hasEnded ? { ...path, session } : 'gone';
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = read(request);
    if (path?.resource === 'open') {
      await open(path.id);
      return sendJson(response, 200, {});
    }
    const found = await find(path);
    if (typeof found === 'object') await respond(found, { request, response, runPrompt });
    else response.writeHead(policyOf(refusalOf(found).code).status).end();
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      const { code, message } = toServiceError(error);
      if (response.headersSent) return response.destroy();
      const [, session, resource] = PATH.exec(request.url ?? '') ?? [];
      // The API learns no more than the code.
      if (code === 'UNKNOWN_ERROR')
        logger.error(
          { err: error, session, resource },
          'a request for a browser session failed unexpectedly',
        );
      return sendJson(response, policyOf(code).status, { code, message });
    });
  });
  onUpgrade(
    server,
    async (request, stream, head) => {
      const found = await find(read(request));
      if (typeof found === 'string') return refuseUpgrade(stream, refusalOf(found));
      const { session, resource } = found;
      if (!session.hasRoomFor(resource === 'cdp' ? 'client' : 'viewer'))
        return refuseUpgrade(stream, sessionFullError());
      if (resource === 'cdp')
        return clients.handleUpgrade(request, stream, head, (socket) =>
          session.addClient(socket, targetQuery(request)),
        );
      return viewers.handleUpgrade(request, stream, head, (socket) =>
        session.addViewer(socket, { mayControl: resource === 'control', ...viewerQuery(request) }),
      );
    },
    (error) => logger.warn({ err: error }, 'a client of a browser session could not be connected'),
  );
  await listen(server, { port, host: address }, (error) =>
    logger.warn({ err: error }, 'a request of the API could not be accepted'),
  ).catch((cause) => {
    throw new ServiceError(
      'BAD_REQUEST',
      `Browser sessions cannot be served at ${address} port ${port}, which WINNOW_SESSION_ADDRESS sets: ${messageOf(cause)}.`,
      { cause },
    );
  });
  // Listening on a TCP port, the address is never a path.
  const { port: usedPort } = server.address() as AddressInfo;
  return {
    url: `http://${announcedAddress(address)}:${usedPort}`,
    close() {
      for (const socket of [...clients.clients, ...viewers.clients]) socket.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Accepts WebSockets whose messages have a limited size. A larger one is refused before it is received. */
const acceptSockets = (maxPayload: number) =>
  new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false }).on(
    'wsClientError',
    refuseHandshake,
  );

/** The address that other machines reach; that of the first network if all are listened on. */
function announcedAddress(address: string): string {
  if (address !== '0.0.0.0' && address !== '::') return address.includes(':') ? `[${address}]` : address;
  const external = Object.values(networkInterfaces())
    .flat()
    .find((each) => each && !each.internal && each.family === 'IPv4');
  return external?.address ?? '127.0.0.1';
}

/** Parses the query parameters of a viewer's URL. */
const viewerQuery = ({ url = '' }: IncomingMessage) =>
  liveViewQuery.parse(Object.fromEntries(new URL(url, 'http://host').searchParams));

/** The tab that a client of the DevTools protocol asks for. */
const targetQuery = ({ url = '' }: IncomingMessage) =>
  new URL(url, 'http://host').searchParams.get('target') ?? undefined;

/** The path of a request that the API has signed. */
interface SignedPath {
  id: string;
  resource: string;
  name: string | undefined;
}
interface FoundSession extends SignedPath {
  session: HostedSession;
}

/** Why a request reaches no session: it is not signed by the API, or for a session that this host does not run. */
const refusalOf = (reason: 'unauthorized' | 'gone') =>
  reason === 'unauthorized'
    ? new ServiceError('UNAUTHORIZED', 'The request is not signed by the API.')
    : new ServiceError('SESSION_DESTROYED', 'This host does not run the browser session.');

/** The session that a request is for, or the reason why it reaches none. */
type Found = FoundSession | Parameters<typeof refusalOf>[0];

async function respond(
  { session, resource, name }: FoundSession,
  {
    request,
    response,
    runPrompt,
  }: { request: IncomingMessage; response: ServerResponse; runPrompt: RunPrompt },
): Promise<void> {
  if (resource === 'execute') {
    const code = codeRequest.parse(JSON.parse(await readText(request)));
    sendJson(response, 200, await session.execute(code, whenAbandoned(response)));
  } else if (resource === 'prompt') {
    const prompt = promptRequest.parse(JSON.parse(await readText(request)));
    sendJson(response, 200, await runPrompt(session, prompt, whenAbandoned(response)));
  } else if (resource === 'files' && name !== undefined) {
    sendJson(response, 200, await session.addFile({ name: decodeURIComponent(name), content: request }));
  } else if (resource === 'replay') {
    const recording = await session.openRecording();
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    await pipeline(recording, response);
  } else if (resource === 'targets') sendJson(response, 200, await session.listTargets());
  else if (resource !== 'downloads') response.writeHead(404).end();
  else if (name === undefined) sendJson(response, 200, await session.listDownloads());
  else {
    const { size, stream } = await session.downloads.open(decodeURIComponent(name));
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': size });
    await pipeline(stream, response);
  }
}

/** A signal that fires when the API does not wait for the response any more. */
function whenAbandoned(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded)
      controller.abort(new ServiceError('WORKER_LOST', 'Nobody waits for the result.'));
  });
  return controller.signal;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new ServiceError('REQUEST_TOO_LARGE', 'The code or prompt is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
