import type { IncomingMessage, Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { policyOf, ServiceError, toServiceError } from '../../errors.ts';
import type { PageJobKind } from '../../job-kinds.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import type { PageJobHead } from '../../schemas/page-job.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import { every } from '../../system/every.ts';
import { onUpgrade, refuseHandshake, refuseUpgrade } from '../../system/server.ts';
import { createAuth } from '../http/auth.ts';
import { createBaseUrl } from '../http/base-url.ts';
import { JsonStream } from '../http/json-stream.ts';
import { createOtherSiteCheck } from '../http/other-sites.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import type { ApiDeps } from '../http/route.ts';
import { SocketLimit } from '../http/socket-limit.ts';
import { isSessionSocket, relaySocket } from '../sessions/session-sockets.ts';
import { SocketRelays } from '../sessions/socket-relays.ts';
import { validate } from '../validation/validate.ts';
import { type DocumentSource, iterateDocuments, readDocuments } from './documents.ts';
import { findPageJobKind } from './page-job-kind.ts';
import { ownPageJob, type RequestedPageJob, requireWatchableJob } from './require-page-job.ts';
import { buildStatusHead } from './status.ts';
import type { WatchedJobs } from './watched-jobs.ts';

/** The WebSocket paths on which clients watch batches and crawls. */
const PATH = /^\/(v1|v2)\/(crawl|batch\/scrape)\/([^/?]+)\/?(?:\?|$)/;
/**
 * Interval of pings. A client that disappears without closing its connection is detected within two
 * intervals.
 */
const PING_MS = 30_000;
/** While more bytes than this are buffered for a client, nothing more is sent to it. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** How often the buffer of such a client is checked. */
const BUFFER_POLL_MS = 20;

/** How long a client that got an error may take to close its connection, in milliseconds. */
const FAILED_MS = 5_000;

/** WebSocket close codes: normal closure (1000) and internal error (1011). */
const NORMAL_CLOSURE = 1000;
const INTERNAL_ERROR = 1011;

/** A client connection, and the job that it watches. */
interface Watcher {
  socket: WebSocket;
  id: string;
  kind: PageJobKind;
  /** Whether the client knows version 1 of the API only. */
  isOlder: boolean;
  caller: Caller;
  source: DocumentSource;
}

/**
 * Serves the WebSockets on which clients watch jobs. Existing clients crash if an upgrade is refused or the
 * offered subprotocol is not echoed. Every upgrade on these paths is therefore accepted, and errors are sent
 * as a message before the socket is closed. A watcher counts as a request of its team, and as one of its open
 * WebSockets, as those of sessions do.
 * @returns `close` ends all connections
 */
export function mountSockets(server: Server, deps: ApiDeps): { close(): void } {
  const { config, db, results, watched, logger } = deps;
  const authenticate = createAuth(db, config.authRequired);
  const rateLimit = createRateLimit(db);
  const limit = new SocketLimit({ ofTeam: config.socketsPerTeam, ofKey: config.socketsPerKey });
  const findBaseUrl = createBaseUrl(config);
  const findOtherSite = createOtherSiteCheck(config);
  const relays = new SocketRelays();
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (protocols) => [...protocols][0] ?? false,
    maxPayload: 1024,
  }).on('wsClientError', refuseHandshake);

  async function authorize(socket: WebSocket, request: IncomingMessage): Promise<Watcher> {
    const [, version, path, id = ''] = PATH.exec(request.url ?? '') ?? [];
    const isOlder = version === 'v1';
    const token = socket.protocol ? `Bearer ${socket.protocol}` : undefined;
    const caller = await authenticate(request.headers.authorization ?? token);
    await rateLimit(caller, 'request');
    // One that has gone meanwhile would never be given back.
    if (socket.readyState === socket.OPEN) socket.once('close', limit.take(caller));
    validate(jobIdParams, { id }, 'path');
    const baseUrl = findBaseUrl(request);
    const source = { db, results, baseUrl, secretKey: config.secretKey };
    const named = path === 'crawl' ? 'crawl' : 'batch_scrape';
    // Clients of version 1 watch batches as crawls.
    const kind = isOlder ? ((await findPageJobKind(db, { id, teamId: caller.teamId })) ?? named) : named;
    return { socket, id, kind, isOlder, caller, source };
  }

  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    keepAlive(socket);
    socket.on('error', (error) =>
      logger.debug({ err: error }, 'the connection of a WebSocket client failed'),
    );
    authorize(socket, request)
      .then((watcher) => streamJob(watcher, watched, deps))
      .catch((thrown) => {
        const { code, message } = toServiceError(thrown);
        if (code === 'UNKNOWN_ERROR') logger.error({ err: thrown }, 'a WebSocket client could not be served');
        if (socket.readyState !== socket.OPEN) return;
        socket.send(JSON.stringify({ type: 'error', error: message }));
        socket.close(
          policyOf(code).closeCode ?? INTERNAL_ERROR,
          JSON.stringify({ type: 'error', error: code }),
        );
        setTimeout(() => socket.terminate(), FAILED_MS).unref();
      });
  });
  onUpgrade(
    server,
    (request, stream, head) => {
      const watchesJob = PATH.test(request.url ?? '');
      // The URL of a session is a secret, so pages of any origin that have it may use the session.
      const otherSite = findOtherSite(request, watchesJob);
      if (otherSite) return refuseUpgrade(stream, otherSite);
      if (isSessionSocket(request.url ?? ''))
        return relaySocket(request, stream, head, { ...deps, relays, limit });
      if (!watchesJob) return refuseUpgrade(stream, noSocketError());
      return sockets.handleUpgrade(request, stream, head, (socket) =>
        sockets.emit('connection', socket, request),
      );
    },
    (error) => logger.error({ err: error }, 'a WebSocket client could not be connected'),
  );
  return {
    close() {
      for (const socket of sockets.clients) socket.terminate();
      relays.close();
    },
  };
}

const noSocketError = () =>
  new ServiceError(
    'NOT_FOUND',
    'There is no WebSocket at this path. Jobs have theirs at /v2/crawl/ID and /v2/batch/scrape/ID.',
  );

/**
 * Sends a client all documents so far and then each new document. When the job ends meanwhile, all
 * documents are sent once more with the final status, because existing clients take their result from that
 * message. Those of version 1 collect the documents of all messages, so they get each once.
 */
async function streamJob(watcher: Watcher, watched: WatchedJobs, deps: ApiDeps): Promise<void> {
  const { socket, id, kind, isOlder, caller, source } = watcher;
  const { teamId } = caller;
  let job = await watched.inTurn(teamId, () => requireWatchableJob(deps, { id, teamId, kind }));
  await sendAllDocuments(watcher, job, watched, deps);
  const hadEnded = job.status !== 'scraping';
  for (let seen = job.completed; job.status === 'scraping' && socket.readyState === socket.OPEN; ) {
    job = ownPageJob(await watched.next(id, teamId), { id, teamId, kind }, deps.config);
    const rows = iterateDocuments(source.db, id, seen, job.completed);
    for await (const json of watched.eachInTurn(teamId, readDocuments(source, job.cipher, rows))) {
      await send(socket, `{"type":"document","data":${json}}`, true);
      if (socket.readyState !== socket.OPEN) return;
    }
    seen = job.completed;
  }
  if (!hadEnded && !isOlder && socket.readyState === socket.OPEN)
    await sendAllDocuments(watcher, job, watched, deps);
  const head = await buildStatusHead(job, deps);
  await send(socket, JSON.stringify(isOlder ? endForOlder(head) : { type: 'done', data: head }), true);
  // The SDK 1.x for JavaScript takes the reason for a message, so it must not be the same one again.
  socket.close(NORMAL_CLOSURE, JSON.stringify({ type: isOlder ? 'closed' : 'done' }));
}

/** The last message for a client of version 1, which takes `done` for success. */
const endForOlder = ({ status, error }: PageJobHead) =>
  status === 'completed' ? { type: 'done' } : { type: 'error', error: error ?? `The job is ${status}.` };

/** Sends all documents so far as one message, in fragments, because the message may not fit into memory. */
async function sendAllDocuments(
  { socket, id, caller, source }: Watcher,
  job: RequestedPageJob,
  watched: WatchedJobs,
  deps: ApiDeps,
): Promise<void> {
  const rows = iterateDocuments(source.db, id, 0, job.completed);
  const documents = watched.eachInTurn(caller.teamId, readDocuments(source, job.cipher, rows));
  await send(socket, '{"type":"catchup","data":', false);
  for await (const part of new JsonStream(await buildStatusHead(job, deps), 'data', documents).text()) {
    await send(socket, part, false);
    if (socket.readyState !== socket.OPEN) return;
  }
  await send(socket, '}', true);
}

/**
 * Sends a message, or a fragment of one, once the client has read enough of the earlier ones. If the client
 * has disconnected, nothing is sent.
 * @param fin whether this ends the message
 */
async function send(socket: WebSocket, text: string, fin: boolean): Promise<void> {
  while (socket.readyState === socket.OPEN && socket.bufferedAmount > MAX_BUFFERED_BYTES) {
    await sleep(BUFFER_POLL_MS);
  }
  if (socket.readyState === socket.OPEN) socket.send(text, { fin });
}

function keepAlive(socket: WebSocket): void {
  let hasResponded = true;
  const timer = every(PING_MS, () => {
    if (!hasResponded) return socket.terminate();
    hasResponded = false;
    return socket.ping();
  });
  socket.on('pong', () => {
    hasResponded = true;
  });
  socket.on('close', () => clearInterval(timer));
}
