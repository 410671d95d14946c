import type dns from 'node:dns';
import {
  Agent,
  type ClientRequest,
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
} from 'node:http';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { type PrepareRequestFunctionOpts, RequestError, Server } from 'proxy-chain';
import type { ServiceError } from '../errors.ts';
import { type Egress, pinnedLookup, type ResolvedAddress } from './egress.ts';
import { ExpiringMap } from './expiring-map.ts';
import { toFetchError } from './failure.ts';

/**
 * The guarded door as an HTTP proxy, for a browser's whole traffic. What fails is a network error for the browser
 * (a tunnel is denied, a plain request's connection is closed), never a page that looks like the site's.
 */
export interface EgressProxy {
  /** For `--proxy-server`. */
  url: string;
  port: number;
  /**
   * Why the last connection to a host failed, for a minute; a connection that works makes it forgotten.
   * @param host name or address, with or without brackets
   */
  failureOf(host: string): ServiceError | undefined;
  /** Ends every connection. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 15_000;
/** Less than the 5 s after which many servers hang up, so that a kept connection is seldom a dead one. */
const IDLE_MS = 4_000;

/** Opens a connection to addresses that were checked. */
function dial(hostname: string, port: number, addresses: readonly ResolvedAddress[]): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: hostname, port, lookup: pinnedLookup(addresses), noDelay: true });
  const giveUp = () => {
    socket.destroy(Object.assign(new Error(`no answer in ${CONNECT_TIMEOUT_MS} ms`), { code: 'ETIMEDOUT' }));
  };
  socket.setTimeout(CONNECT_TIMEOUT_MS, giveUp);
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.setTimeout(0);
    socket.off('timeout', giveUp);
    resolve(socket);
  });
  return promise;
}

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

/** A checked answer of DNS that wants to know what became of the request it was made for. */
type TrackedLookup = LookupFunction & { settled(error?: Error): void };

/** Node calls `addRequest` for every request of an agent, but its types leave it out. */
const agentPrototype = Agent.prototype as unknown as {
  addRequest(request: ClientRequest, options: { lookup: TrackedLookup }): void;
};

/** Tells the lookup of each plain request how the request went: proxy-chain would answer errors with a page. */
class TrackingAgent extends Agent {
  addRequest(request: ClientRequest, options: { lookup: TrackedLookup }): void {
    request.once('error', (error) => options.lookup.settled(error));
    request.once('response', () => options.lookup.settled());
    agentPrototype.addRequest.call(this, request, options);
  }
}

function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

/** Starts the proxy on a free port of 127.0.0.1. */
export async function startEgressProxy(egress: Egress): Promise<EgressProxy> {
  const failures = new ExpiringMap<ServiceError>({ limit: 1_000, ttlMs: 60_000 });
  const agent = new TrackingAgent({ keepAlive: true, timeout: IDLE_MS });
  const sites = new Set<Socket>();

  function remember(host: string, error: unknown): ServiceError {
    const failure = toFetchError(error, host);
    failures.set(host, failure);
    return failure;
  }

  /** A tunnel is dialled before it is granted, so that the browser is told when there is none. */
  async function prepareTunnel(client: Socket, host: string, port: number) {
    const site = await dial(host, port, await egress.resolve(host));
    failures.delete(host);
    sites.add(site);
    site.once('close', () => sites.delete(site));
    client.once('close', () => site.destroy());
    if (client.destroyed) site.destroy();
    return { customConnectServer: tunnelTo(site) };
  }

  async function prepareForward({ socket: client }: IncomingMessage, host: string) {
    const settled = (error?: Error) => {
      if (!error) return failures.delete(host);
      // A browser that went away first has no failure to hear of.
      if (!client.destroyed) remember(host, error);
      client.destroy();
    };
    const lookup: TrackedLookup = Object.assign(pinnedLookup(await egress.resolve(host)), { settled });
    // `dns.lookup` in the types; sockets only ever call it, which is what a LookupFunction is for.
    return { dnsLookup: lookup as unknown as typeof dns.lookup, httpAgent: agent };
  }

  async function prepare({ request, hostname, port, isHttp }: PrepareRequestFunctionOpts) {
    const host = bareHost(hostname);
    try {
      return isHttp ? await prepareForward(request, host) : await prepareTunnel(request.socket, host, port);
    } catch (error) {
      const { code, message } = remember(host, error);
      if (isHttp) request.socket.destroy();
      throw new RequestError(message, code === 'unsafe_domain_blocked' ? 403 : 502);
    }
  }

  const server = new Server({ host: '127.0.0.1', port: 0, prepareRequestFunction: prepare });
  await server.listen();
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    failureOf: (host) => failures.get(bareHost(host)),
    async close() {
      for (const site of sites) site.destroy();
      agent.destroy();
      await server.close(true);
    },
  };
}
