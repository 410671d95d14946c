import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { Counter } from 'prom-client';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { ServiceError } from '../../errors.ts';
import { createAddressPolicy } from './address-policy.ts';
import { ExpiringMap } from './expiring-map.ts';
import { toFetchError } from './fetch-error.ts';
import { createOwnPorts, type OwnPorts } from './own-ports.ts';
import { createResolver } from './resolver.ts';
import type { ResolvedAddress } from './system-resolver.ts';
import {
  createUpstreams,
  type ProxyRoute,
  type ProxySettings,
  type Upstream,
  type Upstreams,
} from './upstream-proxies.ts';

export { BASIC_ROUTE, type ProxyRoute, type Upstream } from './upstream-proxies.ts';

/** The only way to the internet: every connection goes to an IP address that was checked here. */
export interface Egress {
  /**
   * Resolves a host to IP addresses that may be connected to, at least one. Callers must connect to one of
   * these and never look the name up again, because a second lookup may return another address.
   * @param hostname a name, or an IP address with or without brackets
   * @param owner the team for which it is looked up, if that is known; see {@link SystemResolver}
   * @throws ServiceError `SCRAPE_DNS_RESOLUTION_ERROR` for a name that does not exist,
   * `SCRAPE_DNS_SERVER_ERROR` where
   *   the lookup failed, `unsafe_domain_blocked` when any of the addresses is not allowed
   */
  resolve(hostname: string, owner?: string): Promise<ResolvedAddress[]>;
  /**
   * Returns a dispatcher for undici's `request` and `fetch`. Each connection is checked, so redirects are
   * too.
   * @param options.route upstream proxies to use; without it connections are direct
   * @throws ServiceError `SCRAPE_PROXY_SELECTION_ERROR` when there are no proxies of the requested kind
   */
  dispatcher(options: { skipTlsVerification: boolean; route?: ProxyRoute }): Dispatcher;
  /** The operator's upstream proxies. */
  upstreams: Upstreams;
  /** The addresses of this service itself. Nothing connects to them. */
  ownPorts: OwnPorts;
  /**
   * Checks a host and opens a connection to it, through upstream proxies where `upstream` is set.
   * @throws ServiceError for a blocked host or failing proxies, otherwise the socket's error
   */
  connect(target: { hostname: string; port: number }, upstream: Upstream | undefined): Promise<Socket>;
  /** Ends open connections and refuses new ones. */
  close(): Promise<void>;
}

/** Options of an egress. */
export interface EgressOptions {
  /** CIDRs that are allowed in addition to public addresses. */
  allowPrivate: readonly string[];
  /** `host:port` of a DNS server; default is the resolver of the operating system. */
  dns?: string | undefined;
  /** How long a DNS result is reused, in milliseconds. */
  dnsTtlMs?: number;
  proxies?: ProxySettings;
  /** The addresses of this service itself; more can be added later. */
  ownPorts?: OwnPorts;
}

const CONNECT_TIMEOUT_MS = 15_000;
const DNS_TTL_MS = 10_000;
/** Time limit for one address of several. Node's default of 250 ms is too short for distant servers. */
const ATTEMPT_TIMEOUT_MS = 1_000;

const LOOPBACK: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Creates a `lookup` function for sockets that returns addresses which are already known. */
function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const first = addresses[0];
    if (all || !first) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Opens a direct connection to addresses that were checked. */
function dial(hostname: string, port: number, addresses: readonly ResolvedAddress[]): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: hostname, port, lookup: pinnedLookup(addresses), noDelay: true });
  const giveUp = () => {
    socket.destroy(
      Object.assign(new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`), { code: 'ETIMEDOUT' }),
    );
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

/** What this process has refused. A registry takes the counter in. */
export const refusedConnections = new Counter({
  name: 'winnow_egress_refusals_total',
  help: 'Look-ups and connections that the address policy refused: of private IP addresses, and of parts of the service',
  labelNames: ['address'],
  registers: [],
});

function createBlockedError(hostname: string): ServiceError {
  refusedConnections.inc({ address: 'private' });
  const what = isIP(hostname) === 0 ? `${hostname} resolves to` : `${hostname} is`;
  return new ServiceError(
    'unsafe_domain_blocked',
    `${what} a private or reserved address, and only public ones are fetched. The operator of this service can allow it with WINNOW_ALLOW_PRIVATE.`,
  );
}

function createOwnPortError(hostname: string, port: number): ServiceError {
  refusedConnections.inc({ address: 'own' });
  return new ServiceError(
    'unsafe_domain_blocked',
    `${hostname} port ${port} is a part of this service itself, which is never fetched from, also where WINNOW_ALLOW_PRIVATE allows the address.`,
  );
}

/**
 * Creates an egress.
 * @throws ServiceError `BAD_REQUEST` for a CIDR, DNS server or proxy that cannot be parsed
 */
export function createEgress(options: EgressOptions): Egress {
  return new CheckedEgress(options);
}

/** The two agents of a route. */
interface AgentPair {
  /** Verifies certificates. */
  verifying: Agent;
  /** Accepts any certificate. */
  trusting: Agent;
}

class CheckedEgress implements Egress {
  readonly upstreams: Upstreams;
  readonly ownPorts: OwnPorts;
  readonly #policy: ReturnType<typeof createAddressPolicy>;
  readonly #resolver: ReturnType<typeof createResolver>;
  readonly #addresses: ExpiringMap<Promise<ResolvedAddress[]>>;
  /** The agents of each upstream proxy; those of `undefined` connect directly. */
  readonly #agents = new Map<Upstream | undefined, AgentPair>();

  constructor({
    allowPrivate,
    dns,
    dnsTtlMs = DNS_TTL_MS,
    proxies = { basic: [], enhanced: [] },
    ownPorts = createOwnPorts(),
  }: EgressOptions) {
    this.ownPorts = ownPorts;
    this.upstreams = createUpstreams(proxies);
    this.#policy = createAddressPolicy(allowPrivate);
    this.#resolver = createResolver(dns);
    this.#addresses = new ExpiringMap({ limit: 5_000, ttlMs: dnsTtlMs });
  }

  resolve(hostname: string, owner?: string): Promise<ResolvedAddress[]> {
    const name = withoutBrackets(hostname).toLowerCase();
    const known = this.#addresses.get(name);
    if (known) return known;
    const pending = this.#lookUp(name, owner);
    this.#addresses.set(name, pending);
    // Only successful lookups are reused.
    pending.catch(() => this.#addresses.delete(name));
    return pending;
  }

  async #lookUp(hostname: string, owner: string | undefined): Promise<ResolvedAddress[]> {
    const family = isIP(hostname);
    if (family !== 0) {
      if (!this.#policy.allows(hostname)) throw createBlockedError(hostname);
      return [{ address: hostname, family: family === 6 ? 6 : 4 }];
    }
    // These names are loopback whatever DNS says (RFC 6761 6.3). Both families are returned, because a server
    // may listen on one only.
    if (/(^|\.)localhost\.?$/i.test(hostname)) {
      const allowed = LOOPBACK.filter(({ address }) => this.#policy.allows(address));
      if (allowed.length === 0) throw createBlockedError(hostname);
      return allowed;
    }
    const addresses = await this.#resolver.resolve(hostname, owner).catch((error) => {
      throw toFetchError(error, hostname);
    });
    // One forbidden address blocks the name, because the socket chooses which address it connects to.
    if (addresses.length === 0 || !addresses.every(({ address }) => this.#policy.allows(address)))
      throw createBlockedError(hostname);
    return addresses;
  }

  dispatcher({ skipTlsVerification, route }: { skipTlsVerification: boolean; route?: ProxyRoute }): Agent {
    const { verifying, trusting } = this.#agentsOf(route && this.upstreams.select(route));
    return skipTlsVerification ? trusting : verifying;
  }

  #agentsOf(upstream: Upstream | undefined): AgentPair {
    const create = (verify: boolean) =>
      upstream ? this.#createProxiedAgent(verify, upstream) : this.#createAgent(verify);
    const pair = this.#agents.get(upstream) ?? { verifying: create(true), trusting: create(false) };
    this.#agents.set(upstream, pair);
    return pair;
  }

  #createAgent(rejectUnauthorized: boolean): Agent {
    const createConnector = (lookup: LookupFunction) =>
      buildConnector({
        lookup,
        rejectUnauthorized,
        allowH2: false,
        timeout: CONNECT_TIMEOUT_MS,
        autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
      });
    const connect = createConnector((hostname, options, callback) => {
      this.resolve(hostname).then(
        (addresses) => pinnedLookup(addresses)(hostname, options, callback),
        (error) => callback(error, []),
      );
    });
    return new Agent({
      connect: (options, callback) => {
        const hostname = withoutBrackets(options.hostname);
        const port = portOf(options);
        if (this.ownPorts.mayInclude(port)) {
          // `lookup` does not learn the port, so these have one that returns what was checked.
          this.#resolveForPort(hostname, port).then(
            (addresses) => createConnector(pinnedLookup(addresses))({ ...options, hostname }, callback),
            (error) => callback(error, null),
          );
          return;
        }
        // Sockets do not call `lookup` for IP addresses, so these are checked here.
        if (isIP(hostname) !== 0 && !this.#policy.allows(hostname))
          callback(createBlockedError(hostname), null);
        else connect({ ...options, hostname }, callback);
      },
    });
  }

  /** Resolves a host, and refuses the parts of this service. @throws ServiceError as {@link resolve} */
  async #resolveForPort(hostname: string, port: number): Promise<ResolvedAddress[]> {
    const addresses = await this.resolve(hostname);
    if (!this.ownPorts.mayInclude(port)) return addresses;
    const own = await Promise.all(addresses.map(({ address }) => this.ownPorts.includes(address, port)));
    if (own.includes(true)) throw createOwnPortError(hostname, port);
    return addresses;
  }

  /**
   * Creates an agent whose TLS runs inside the tunnel of the upstream proxies and is verified against the
   * site's name.
   */
  #createProxiedAgent(rejectUnauthorized: boolean, upstream: Upstream): Agent {
    const secure = buildConnector({ rejectUnauthorized, allowH2: false, timeout: CONNECT_TIMEOUT_MS });
    return new Agent({
      connect: (options, callback) => {
        const hostname = withoutBrackets(options.hostname);
        this.connect({ hostname, port: portOf(options) }, upstream).then(
          (socket) => {
            if (options.protocol === 'https:') secure({ ...options, hostname, httpSocket: socket }, callback);
            else callback(null, socket);
          },
          (error) => callback(error, null),
        );
      },
    });
  }

  async connect(
    { hostname, port }: { hostname: string; port: number },
    upstream: Upstream | undefined,
  ): Promise<Socket> {
    const addresses = await this.#resolveForPort(hostname, port);
    return upstream ? upstream.connect({ host: hostname, addresses, port }) : dial(hostname, port, addresses);
  }

  async close(): Promise<void> {
    this.#resolver.close();
    const agents = [...this.#agents.values()].flatMap(({ verifying, trusting }) => [verifying, trusting]);
    await Promise.all(agents.map((agent) => agent.destroy()));
  }
}

/** The port of a URL, also where it is the default one of its scheme. */
const portOf = ({ port, protocol }: { port: string; protocol: string }) =>
  Number(port) || (protocol === 'https:' ? 443 : 80);

/** The host name as DNS and sockets want it: an IPv6 address has no brackets. */
const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');
