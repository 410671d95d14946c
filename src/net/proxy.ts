import type dns from 'node:dns';
import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  createServer,
  type Server as HttpServer,
} from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type PrepareRequestFunctionOpts, RequestError, Server } from 'proxy-chain';
import type { ServiceError } from '../errors.ts';
import { BASIC, type Egress, type Route, type Upstream } from './egress.ts';
import { ExpiringMap } from './expiring-map.ts';
import { toFetchError } from './failure.ts';

/** The guarded door as an HTTP proxy for one route. */
export interface EgressDoor {
  /** For a browser's proxy settings. */
  url: string;
  /**
   * Why the last connection to a host failed, for a minute; a connection that works makes it forgotten.
   * @param host name or address, with or without brackets
   */
  failureOf(host: string): ServiceError | undefined;
}

/**
 * The guarded door as HTTP proxies, for a browser's whole traffic. What fails is a network error for the browser
 * (a tunnel is denied, a plain request's connection is closed), never a page that looks like the site's.
 * Itself it is the door of the basic route.
 */
export interface EgressProxy extends EgressDoor {
  port: number;
  /**
   * The door of a route, on a port of its own: a user name would have to be asked for with each connection.
   * @throws ServiceError `SCRAPE_PROXY_SELECTION_ERROR`
   */
  through(route: Route): Promise<EgressDoor>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Less than the 5 s after which many servers hang up, so that a kept connection is seldom a dead one. */
const IDLE_MS = 4_000;

/** Lets bytes flow both ways until either end is gone, and then ends the other. */
function join(client: Socket, site: Socket): void {
  // A reset is how connections end; 'close' follows each error.
  site.on('error', () => client.destroySoon());
  client.on('error', () => site.destroy());
  site.on('close', () => client.destroySoon());
  client.on('close', () => site.destroy());
  client.pipe(site);
  site.pipe(client);
}

/** proxy-chain hands a granted tunnel over by the `connection` event of a server; this one never listens. */
function tunnelTo(site: Socket): HttpServer {
  const tunnel = createServer();
  tunnel.removeAllListeners('connection');
  tunnel.on('connection', (client: Socket) => join(client, site));
  return tunnel;
}

/** Travels with a plain request in place of its lookup, and is told what became of it. */
type Witness = LookupFunction & { settled(error?: Error): void };

/** Node calls `addRequest` for every request of an agent, but its types leave it out. */
const agentPrototype = Agent.prototype as unknown as {
  addRequest(request: ClientRequest, options: { lookup: Witness }): void;
};

/** Connects plain requests by the guarded door, and tells how they went: proxy-chain would answer errors with a page. */
class GuardedAgent extends Agent {
  readonly #connect: (host: string, port: number) => Promise<Socket>;

  constructor(connect: (host: string, port: number) => Promise<Socket>) {
    super({ keepAlive: true, timeout: IDLE_MS });
    this.#connect = connect;
  }

  addRequest(request: ClientRequest, options: { lookup: Witness }): void {
    request.once('error', (error) => options.lookup.settled(error));
    request.once('response', () => options.lookup.settled());
    agentPrototype.addRequest.call(this, request, options);
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    connected: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#connect(bareHost(host ?? ''), Number(port) || 80).then(
      (socket) => connected(null, socket),
      // With an error nobody looks at the socket; the type wants one.
      (error) => connected(error, undefined as unknown as Duplex),
    );
  }
}

function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

/** Starts the proxy of one way on a free port of 127.0.0.1. */
async function startDoor(egress: Egress, upstream: Upstream | undefined) {
  const failures = new ExpiringMap<ServiceError>({ limit: 1_000, ttlMs: 60_000 });
  const agent = new GuardedAgent((hostname, port) => egress.connect({ hostname, port }, upstream));
  const sites = new Set<Socket>();

  function remember(host: string, error: unknown): ServiceError {
    const failure = toFetchError(error, host);
    failures.set(host, failure);
    return failure;
  }

  /** A tunnel is dialled before it is granted, so that the browser is told when there is none. */
  async function prepareTunnel(client: Socket, host: string, port: number) {
    const site = await egress.connect({ hostname: host, port }, upstream);
    failures.delete(host);
    sites.add(site);
    site.once('close', () => sites.delete(site));
    client.once('close', () => site.destroy());
    if (client.destroyed) site.destroy();
    return { customConnectServer: tunnelTo(site) };
  }

  function prepareForward(client: Socket, host: string) {
    const settled = (error?: Error) => {
      if (!error) return failures.delete(host);
      // A browser that went away first has no failure to hear of.
      if (!client.destroyed) remember(host, error);
      client.destroy();
    };
    const witness: Witness = Object.assign(() => undefined, { settled });
    // `dns.lookup` in the types; the agent connects without it.
    return { dnsLookup: witness as unknown as typeof dns.lookup, httpAgent: agent };
  }

  async function prepare({ request, hostname, port, isHttp }: PrepareRequestFunctionOpts) {
    const host = bareHost(hostname);
    if (isHttp) return prepareForward(request.socket, host);
    try {
      return await prepareTunnel(request.socket, host, port);
    } catch (error) {
      const { code, message } = remember(host, error);
      throw new RequestError(message, code === 'unsafe_domain_blocked' ? 403 : 502);
    }
  }

  const server = new Server({ host: '127.0.0.1', port: 0, prepareRequestFunction: prepare });
  await server.listen();
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    failureOf: (host: string) => failures.get(bareHost(host)),
    async close() {
      for (const site of sites) site.destroy();
      agent.destroy();
      await server.close(true);
    },
  };
}

/** Starts the proxy; doors of other routes are opened when they are first asked for. */
export async function startEgressProxy(egress: Egress): Promise<EgressProxy> {
  const doors = new Map<Upstream | undefined, ReturnType<typeof startDoor>>();

  async function through(route: Route) {
    const upstream = egress.upstreams.of(route);
    const door = doors.get(upstream) ?? startDoor(egress, upstream);
    doors.set(upstream, door);
    // One that could not be opened is tried again with the next page.
    door.catch(() => doors.delete(upstream));
    return door;
  }

  return {
    ...(await through(BASIC)),
    through,
    async close() {
      await Promise.all([...doors.values()].map(async (door) => (await door).close()));
    },
  };
}
