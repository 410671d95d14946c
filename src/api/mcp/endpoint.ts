import { randomUUID } from 'node:crypto';
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';
import type { Express, Request, RequestHandler, Response } from 'express';
import { quote, ServiceError } from '../../errors.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { isLoopback } from '../../url/loopback.ts';
import { bearerKeyOf } from '../http/auth.ts';
import { createBaseUrl } from '../http/base-url.ts';
import { disconnectionOf, type RequestChecks } from '../http/mount-route.ts';
import type { ApiDeps } from '../http/route.ts';
import { ROUTES } from '../routes.ts';
import { JobAbandoned } from '../synchronous-job.ts';
import { createMcpServer, type McpClient } from './mcp-server.ts';
import { requireMessageBounds } from './message-bounds.ts';
import { type CallRoutesAs, createRouteCalls } from './route-call.ts';
import { RunningCalls } from './running-calls.ts';
import { sendWebResponse, toWebRequest } from './web-http.ts';

/** Path of the Model Context Protocol. */
const MCP_PATH = '/v2/mcp';
/** Path of the metadata of a protected resource, before the path of the resource (RFC 9728, 3.1). */
const METADATA_PATH = '/.well-known/oauth-protected-resource';
/** Connections that wait for changes of the tools, which there are none of while a process runs. */
const MAX_SUBSCRIPTIONS = 100;

/**
 * Serves the Model Context Protocol: its version 2026-07-28, and those before it without state. A request takes its
 * part of the limits of its key like any other that is open, and the calls of tools are counted as the requests to
 * their routes.
 */
export function mountMcp(app: Express, deps: ApiDeps, checks: RequestChecks): void {
  const findBaseUrl = createBaseUrl(deps.config);
  const callRoutesAs = createRouteCalls(ROUTES, checks, deps);
  mountMetadata(app, findBaseUrl);
  app.all(
    MCP_PATH,
    createOriginCheck(deps.config.allowedHosts),
    createKeyCheck(checks, findBaseUrl),
    checks.parseJson,
    createHandler({ callRoutesAs, findBaseUrl }, deps),
  );
}

type FindBaseUrl = ReturnType<typeof createBaseUrl>;

/** Describes where the key comes from: from the operator, so that there is no server that grants it. */
function mountMetadata(app: Express, findBaseUrl: FindBaseUrl): void {
  app.get([METADATA_PATH, `${METADATA_PATH}${MCP_PATH}`], (request, response) => {
    const baseUrl = findBaseUrl(request);
    response.json({
      resource: `${baseUrl}${MCP_PATH}`,
      resource_name: 'Winnow',
      bearer_methods_supported: ['header'],
      resource_documentation: `${baseUrl}/docs/guides/mcp`,
    });
  });
}

/**
 * Refuses pages of other sites, as the protocol demands, although a page does not know the key: the check without
 * authentication is stricter.
 */
function createOriginCheck(allowedHosts: readonly string[]): RequestHandler {
  const hostOf = (text: string) => URL.parse(text)?.hostname.replace(/^\[|\]$/g, '');
  const names = new Set(allowedHosts.map((host) => hostOf(`http://${host}`)));
  return ({ headers: { origin, host } }, _response, next) => {
    const name = origin === undefined ? undefined : hostOf(origin);
    if (origin === undefined || (name && (isLoopback(name) || names.has(name)))) return next();
    if (name && name === hostOf(`http://${host}`)) return next();
    throw new ServiceError(
      'UNTRUSTED_ORIGIN',
      `The request is from a page of ${quote(origin)}. The operator can add that host to WINNOW_ALLOWED_HOSTS.`,
    );
  };
}

/** Finds the caller. A refusal names the metadata of the resource (RFC 9728, 5.1). */
function createKeyCheck(
  { open, turns, authenticate }: RequestChecks,
  findBaseUrl: FindBaseUrl,
): RequestHandler {
  return async (request, response, next) => {
    const { authorization } = request.headers;
    const owner = authorization ?? request.ip ?? '';
    open.take(owner, response);
    try {
      response.locals.caller = await turns.run(owner, () => authenticate(authorization, request.ip));
    } catch (error) {
      const metadata = `resource_metadata="${findBaseUrl(request)}${METADATA_PATH}${MCP_PATH}"`;
      response.set('WWW-Authenticate', `Bearer ${metadata}`);
      throw error;
    }
    next();
  };
}

interface HandlerParts {
  callRoutesAs: CallRoutesAs;
  findBaseUrl: FindBaseUrl;
}

function createHandler(
  { callRoutesAs, findBaseUrl }: HandlerParts,
  { logger, closing }: ApiDeps,
): RequestHandler {
  /** The clients of requests that are being handled; the library passes their keys through unchanged. */
  const clients = new WeakMap<AuthInfo, McpClient>();
  const running = new RunningCalls();
  const handler = createMcpHandler(
    ({ authInfo, era }) => {
      const client = authInfo && clients.get(authInfo);
      if (!client) throw new Error('a request has reached the protocol without its key');
      return createMcpServer(era, client, logger);
    },
    {
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      onerror: (error) => logger.debug({ err: error }, 'a request of the Model Context Protocol was refused'),
    },
  );
  return async (request, response) => {
    const { caller } = response.locals;
    const { body } = request;
    requireMessageBounds(body);
    const session = openSession(request, response);
    const { method, id, params } = fieldsOf(body);
    if (method === 'notifications/cancelled') running.cancel(session, fieldsOf(params).requestId);
    const baseUrl = findBaseUrl(request);
    await running.run(session, id, async (cancelled) => {
      const disconnected = AbortSignal.any([disconnectionOf(response, new JobAbandoned()), cancelled]);
      const key: AuthInfo = {
        token: bearerKeyOf(request.get('authorization')) ?? '',
        clientId: caller.teamId,
        scopes: [],
      };
      clients.set(key, { call: callRoutesAs({ caller, baseUrl }), disconnected, closing });
      const answer = await handler.fetch(toWebRequest(request, `${baseUrl}${MCP_PATH}`), {
        authInfo: key,
        parsedBody: body,
      });
      await sendWebResponse(answer, response);
    });
  };
}

const SESSION_HEADER = 'Mcp-Session-Id';

/**
 * The session of a client before version 2026-07-28, by which a cancellation is related to its call. It is a random
 * number that the client got when it connected; nothing is stored.
 */
function openSession(request: Request, response: Response): string | undefined {
  if (fieldsOf(request.body).method !== 'initialize') return request.get(SESSION_HEADER);
  const session = randomUUID();
  response.set({ [SESSION_HEADER]: session, 'Access-Control-Expose-Headers': SESSION_HEADER });
  return session;
}
