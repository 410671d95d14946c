import type dns from 'node:dns';
import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
} from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type PrepareRequestFunctionOpts, RequestError, Server } from 'proxy-chain';
import type { ServiceError } from '../../errors.ts';
import { BASIC_ROUTE, type Egress, type ProxyRoute, type Upstream } from './checked-egress.ts';
import { ExpiringMap } from './expiring-map.ts';
import { toFetchError } from './fetch-error.ts';
import { ProxyAccess } from './proxy-access.ts';

/** A local HTTP proxy that connects through the egress by one route. */
export interface RouteProxy {
  /** URL for a browser's proxy settings, without credentials. */
  url: string;
  /** URL for programs without a network of their own. It has credentials, so it is for no command line. */
  authorizedUrl: string;
  /**
   * Returns why the last connection to the host and port of a URL failed. It is forgotten after a minute or
   * when a connection succeeds.
   * @param url one that Chromium accepts and Node does not, such as `http://xn--a/`, has no failures
   */
  failureOf(url: string): ServiceError | undefined;
  /** Serves a connection of a browser that reached this process by another way than the port. */
  serve(connection: Socket): void;
}

/** A proxy as a browser reaches it that has a network of its own. */
export interface ProxyDoor {
  /** The port of its URL, which has to be open in the network of the browser. */
  port: number;
  /** Serves a connection from that network. */
  serve(connection: Socket): void;
}

/**
 * Local HTTP proxies, one for each route, for all traffic of a browser. A failure is a network error for the
 * browser (a tunnel is denied, the connection of a plain request is closed), never a page that looks like the
 * site's. The object itself is the proxy of the basic route.
 */
export interface EgressProxy extends RouteProxy {
  port: number;
  /** The proxies of all routes, for the network of a browser. */
  doors(): Promise<ProxyDoor[]>;
  /**
   * Serves connections of a user without credentials, too: those of browsers without a network of their own.
   */
  allowUser(uid: number): void;
  /**
   * Returns the proxy of a route. Each has its own port, because browsers send a user name only after a
   * challenge on each connection.
   * @throws ServiceError `SCRAPE_PROXY_SELECTION_ERROR` when there are no upstream proxies of the requested
   * kind
   */
  forRoute(route: ProxyRoute): Promise<RouteProxy>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Less than the 5 s after which many servers close idle connections, so that a reused one is seldom dead. */
const KEEP_ALIVE_MS = 4_000;

/** Relays bytes in both directions until either end closes, then closes the other. */
function relay(client: Socket, target: Socket): void {
  // Resets are normal, and 'close' follows each error.
  target.on('error', () => client.destroySoon());
  client.on('error', () => target.destroy());
  target.on('close', () => client.destroySoon());
  client.on('close', () => target.destroy());
  client.pipe(target);
  target.pipe(client);
}

/**
 * Creates the server to which proxy-chain hands a granted tunnel by its `connection` event. It never listens.
 */
function createTunnelServer(target: Socket): HttpServer {
  const tunnel = createServer();
  tunnel.removeAllListeners('connection');
  tunnel.on('connection', (client: Socket) => relay(client, target));
  return tunnel;
}

/**
 * Observes the outcome of a plain request. It is passed as `lookup`, the only option that proxy-chain
 * forwards to the agent.
 */
type RequestObserver = LookupFunction & { settled(error?: Error): void };

/** Node calls `addRequest` for every request of an agent, but its types omit it. */
const agentPrototype = Agent.prototype as unknown as {
  addRequest(request: ClientRequest, options: { lookup: RequestObserver }): void;
};

/**
 * Connects plain requests through the egress and reports their outcome, because proxy-chain would respond to
 * errors with a page.
 */
class EgressAgent extends Agent {
  readonly #connect: (host: string, port: number) => Promise<Socket>;

  constructor(connect: (host: string, port: number) => Promise<Socket>) {
    super({ keepAlive: true, timeout: KEEP_ALIVE_MS });
    this.#connect = connect;
  }

  addRequest(request: ClientRequest, options: { lookup: RequestObserver }): void {
    request.once('error', (error) => options.lookup.settled(error));
    request.once('response', () => options.lookup.settled());
    agentPrototype.addRequest.call(this, request, options);
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    connected: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#connect(normalizeHost(host ?? ''), Number(port) || 80).then(
      (socket) => connected(null, socket),
      // The socket is not used after an error, but the type requires one.
      (error) => connected(error, undefined as unknown as Duplex),
    );
  }
}

/** The ports of URLs that name none. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
};

/** The target of a connection as a key: its host and port. */
const targetOf = (host: string, port: number): string => `${normalizeHost(host)} ${port}`;

function targetOfUrl(url: string): string | undefined {
  const { hostname, port, protocol } = URL.parse(url) ?? {};
  return hostname && targetOf(hostname, Number(port) || (DEFAULT_PORTS[protocol ?? ''] ?? 0));
}

function normalizeHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

/**
 * Removes the header `Proxy-Connection`, which browsers send to proxies only (RFC 9112, C.2.2): a site would see by it
 * that there is one, and proxy-chain passes it on.
 */
function removeProxyConnection({ rawHeaders }: IncomingMessage): void {
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2)
    if (rawHeaders[index]?.toLowerCase() === 'proxy-connection') rawHeaders.splice(index, 2);
}

/** Starts the proxy of one route on a free port of 127.0.0.1. */
async function startRouteProxy(egress: Egress, upstream: Upstream | undefined, access: ProxyAccess) {
  const failures = new ExpiringMap<ServiceError>({ limit: 1_000, ttlMs: 60_000 });
  const agent = new EgressAgent((hostname, port) => egress.connect({ hostname, port }, upstream));
  const targets = new Set<Socket>();

  function remember(host: string, port: number, error: unknown): ServiceError {
    const failure = toFetchError(error, host);
    failures.set(targetOf(host, port), failure);
    return failure;
  }

  /** Connects to the target before the tunnel is granted, so that a failure is reported to the browser. */
  async function prepareTunnel(client: Socket, host: string, port: number) {
    const target = await egress.connect({ hostname: host, port }, upstream);
    failures.delete(targetOf(host, port));
    targets.add(target);
    target.once('close', () => targets.delete(target));
    client.once('close', () => target.destroy());
    if (client.destroyed) target.destroy();
    return { customConnectServer: createTunnelServer(target) };
  }

  function prepareForward(client: Socket, host: string, port: number) {
    const settled = (error?: Error) => {
      if (!error) return failures.delete(targetOf(host, port));
      // A request that the browser itself aborted is not a failure of the host.
      if (!client.destroyed) remember(host, port, error);
      client.destroy();
    };
    const observer: RequestObserver = Object.assign(() => undefined, { settled });
    // The types require `dns.lookup`; the agent does not resolve names with it.
    return { dnsLookup: observer as unknown as typeof dns.lookup, httpAgent: agent };
  }

  async function prepare(options: PrepareRequestFunctionOpts) {
    const { request, hostname, port, isHttp, username, password } = options;
    if (!access.allows(request.socket, { username, password })) return { requestAuthentication: true };
    const host = normalizeHost(hostname);
    if (isHttp) {
      removeProxyConnection(request);
      return prepareForward(request.socket, host, port);
    }
    try {
      return await prepareTunnel(request.socket, host, port);
    } catch (error) {
      const { code, message } = remember(host, port, error);
      throw new RequestError(message, code === 'unsafe_domain_blocked' ? 403 : 502);
    }
  }

  const server = new Server({ host: '127.0.0.1', port: 0, prepareRequestFunction: prepare });
  await server.listen();
  egress.ownPorts.add({ host: '127.0.0.1', port: server.port });
  // A connection that cannot be accepted fails in the browser.
  server.server.on('error', () => undefined);
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    authorizedUrl: access.authorize(url),
    port: server.port,
    serve(connection: Socket) {
      access.allow(connection);
      server.server.emit('connection', connection);
    },
    failureOf(failed: string) {
      const target = targetOfUrl(failed);
      return target === undefined ? undefined : failures.get(target);
    },
    async close() {
      for (const target of targets) target.destroy();
      agent.destroy();
      await server.close(true);
    },
  };
}

/** Starts the proxy of the basic route. Those of other routes start when they are first requested. */
export async function startEgressProxy(egress: Egress): Promise<EgressProxy> {
  const access = new ProxyAccess();
  const proxies = new Map<Upstream | undefined, ReturnType<typeof startRouteProxy>>();

  async function forRoute(route: ProxyRoute) {
    const upstream = egress.upstreams.select(route);
    const proxy = proxies.get(upstream) ?? startRouteProxy(egress, upstream, access);
    proxies.set(upstream, proxy);
    // A proxy that failed to start is started again on the next request.
    proxy.catch(() => proxies.delete(upstream));
    return proxy;
  }

  return {
    ...(await forRoute(BASIC_ROUTE)),
    forRoute,
    doors: async () => [...new Set(await Promise.all(egress.upstreams.routes().map(forRoute)))],
    allowUser: (uid) => access.allowUser(uid),
    async close() {
      await Promise.all([...proxies.values()].map(async (proxy) => (await proxy).close()));
    },
  };
}
