import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { ServiceError } from '../errors.ts';
import { createAddressPolicy } from './address.ts';
import { ExpiringMap } from './expiring-map.ts';
import { toFetchError } from './failure.ts';
import { createResolver, type ResolvedAddress } from './resolver.ts';
import {
  createUpstreams,
  type ProxySettings,
  type Route,
  type Upstream,
  type Upstreams,
} from './upstream.ts';

export { BASIC, type Route, type Upstream } from './upstream.ts';

/** The guarded door: every connection to the internet goes to an address that it gave out. */
export interface Egress {
  /**
   * Addresses that may be connected to, at least one. Connect to one of these and never look the name up again:
   * a second answer may be another one.
   * @param hostname a name, or an address with or without brackets
   * @throws ServiceError `SCRAPE_DNS_RESOLUTION_ERROR` for a name that does not exist, `SCRAPE_DNS_SERVER_ERROR` where
   *   that could not be found out; `unsafe_domain_blocked` when any of them is not allowed
   */
  resolve(hostname: string): Promise<ResolvedAddress[]>;
  /**
   * For undici's `request` and `fetch`; redirects are checked like first requests.
   * @param options.route absent: direct, whatever proxies there are
   * @throws ServiceError `SCRAPE_PROXY_SELECTION_ERROR`
   */
  dispatcher(options: { skipTlsVerification: boolean; route?: Route }): Dispatcher;
  /** The operator's proxies, by route. */
  upstreams: Upstreams;
  /**
   * Opens a connection to a host that may be connected to, through proxies where some are given.
   * @throws ServiceError, or what sockets throw
   */
  connect(target: { hostname: string; port: number }, upstream: Upstream | undefined): Promise<Socket>;
  /** Ends open connections and refuses new ones. */
  close(): Promise<void>;
}

/** What the door is made from. */
export interface EgressOptions {
  /** CIDRs allowed beside public addresses. */
  allowPrivate: readonly string[];
  /** `host:port` of a DNS server; absent: the machine's resolver. */
  dns?: string | undefined;
  /** How long an answer of DNS is used again. */
  dnsTtlMs?: number;
  proxies?: ProxySettings;
}

const CONNECT_TIMEOUT_MS = 15_000;
const DNS_TTL_MS = 10_000;
/** Long enough for a far server; Node's own 250 ms gives up on it when there are several addresses. */
const ATTEMPT_TIMEOUT_MS = 1_000;

const LOOPBACK: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** A socket's `lookup` that knows its answer already. */
function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const first = addresses[0];
    if (all || !first) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

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

function refusal(hostname: string): ServiceError {
  const what = isIP(hostname) === 0 ? `${hostname} resolves to` : `${hostname} is`;
  return new ServiceError(
    'unsafe_domain_blocked',
    `${what} a private or reserved address, and only public ones are fetched. The operator of this service can allow it with WINNOW_ALLOW_PRIVATE.`,
  );
}

/** @throws ServiceError `BAD_REQUEST` for a CIDR or DNS server that cannot be read */
export function createEgress({
  allowPrivate,
  dns,
  dnsTtlMs = DNS_TTL_MS,
  proxies = { basic: [], enhanced: [] },
}: EgressOptions): Egress {
  const upstreams = createUpstreams(proxies);
  const policy = createAddressPolicy(allowPrivate);
  const resolver = createResolver(dns);
  const known = new ExpiringMap<Promise<ResolvedAddress[]>>({ limit: 5_000, ttlMs: dnsTtlMs });

  async function look(hostname: string): Promise<ResolvedAddress[]> {
    const family = isIP(hostname);
    if (family !== 0) {
      if (!policy.allows(hostname)) throw refusal(hostname);
      return [{ address: hostname, family: family === 6 ? 6 : 4 }];
    }
    // RFC 6761 6.3: these are loopback whatever DNS says; a server there may listen on one family only.
    if (/(^|\.)localhost\.?$/i.test(hostname)) {
      const allowed = LOOPBACK.filter(({ address }) => policy.allows(address));
      if (allowed.length === 0) throw refusal(hostname);
      return allowed;
    }
    const answers = await resolver.resolve(hostname).catch((error) => {
      throw toFetchError(error, hostname);
    });
    // One bad answer spoils the name: which one a socket would take is not ours to bet on.
    if (answers.length === 0 || !answers.every(({ address }) => policy.allows(address)))
      throw refusal(hostname);
    return answers;
  }

  function resolve(hostname: string): Promise<ResolvedAddress[]> {
    const name = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
    const found = known.get(name);
    if (found) return found;
    const asked = look(name);
    known.set(name, asked);
    // Answers may be used again, failures are asked anew.
    asked.catch(() => known.delete(name));
    return asked;
  }

  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => pinnedLookup(addresses)(hostname, options, callback),
      (error) => callback(error, []),
    );
  };

  function createAgent(rejectUnauthorized: boolean): Agent {
    const connect = buildConnector({
      lookup,
      rejectUnauthorized,
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    });
    return new Agent({
      connect(options, callback) {
        const hostname = options.hostname.replace(/^\[(.*)\]$/, '$1');
        // Sockets never look literals up, so `lookup` alone would let them pass.
        if (isIP(hostname) !== 0 && !policy.allows(hostname)) callback(refusal(hostname), null);
        else connect({ ...options, hostname }, callback);
      },
    });
  }

  const open: Egress['connect'] = async ({ hostname, port }, upstream) => {
    const addresses = await resolve(hostname);
    return upstream ? upstream.connect({ host: hostname, addresses, port }) : dial(hostname, port, addresses);
  };

  /** The same through proxies: TLS is ours, inside the tunnel, by the site's name. */
  function createProxiedAgent(rejectUnauthorized: boolean, upstream: Upstream): Agent {
    const secure = buildConnector({ rejectUnauthorized, allowH2: false, timeout: CONNECT_TIMEOUT_MS });
    return new Agent({
      connect(options, callback) {
        const hostname = options.hostname.replace(/^\[(.*)\]$/, '$1');
        const isSecure = options.protocol === 'https:';
        open({ hostname, port: Number(options.port) || (isSecure ? 443 : 80) }, upstream).then(
          (socket) => {
            if (isSecure) secure({ ...options, hostname, httpSocket: socket }, callback);
            else callback(null, socket);
          },
          (error) => callback(error, null),
        );
      },
    });
  }

  /** Two agents for each way there is. */
  const agents = new Map<Upstream | undefined, { verifying: Agent; trusting: Agent }>();

  function agentsOf(upstream: Upstream | undefined) {
    const create = (verify: boolean) =>
      upstream ? createProxiedAgent(verify, upstream) : createAgent(verify);
    const pair = agents.get(upstream) ?? { verifying: create(true), trusting: create(false) };
    agents.set(upstream, pair);
    return pair;
  }

  return {
    resolve,
    dispatcher({ skipTlsVerification, route }) {
      const { verifying, trusting } = agentsOf(route && upstreams.of(route));
      return skipTlsVerification ? trusting : verifying;
    },
    upstreams,
    connect: open,
    async close() {
      resolver.close();
      await Promise.all(
        [...agents.values()].flatMap(({ verifying, trusting }) => [verifying.destroy(), trusting.destroy()]),
      );
    },
  };
}
