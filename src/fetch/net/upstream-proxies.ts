import type { Socket } from 'node:net';
import type { ProxyKind } from '../../content/snapshot.ts';
import { ServiceError } from '../../errors.ts';
import { findCountry } from '../../schemas/country.ts';
import { openTunnel, type ProxyServer, TunnelError } from './proxy-tunnel.ts';
import type { ResolvedAddress } from './system-resolver.ts';

/** Kind and country of the upstream proxies that a request uses, where the operator has configured any. */
export interface ProxyRoute {
  proxy: ProxyKind;
  /** ISO 3166-1 alpha-2 in either case; `undefined` for any country. */
  country: string | undefined;
}

/** The route of requests that specify neither proxy nor country. */
export const BASIC_ROUTE: ProxyRoute = { proxy: 'basic', country: undefined };

/** The upstream proxies of a route. */
export interface Upstream {
  /**
   * Opens a connection through one of the proxies. They take turns; those that failed recently come last.
   * @param target host name for messages, checked IP addresses, and port
   * @throws ServiceError `SCRAPE_SITE_ERROR` when the proxies cannot reach the target,
   * `SCRAPE_ALL_ENGINES_FAILED` when no
   *   proxy works
   */
  connect(target: { host: string; addresses: readonly ResolvedAddress[]; port: number }): Promise<Socket>;
}

/** All upstream proxies of the operator. */
export interface Upstreams {
  /** Whether there are proxies of a kind, in any country. */
  offers(proxy: ProxyKind): boolean;
  /** Whether proxies of the route's kind have countries configured, and none has the route's country. */
  isElsewhere(route: ProxyRoute): boolean;
  /**
   * Selects the proxies of a route; equal routes get the same object. A country without proxies gets those of
   * a route without a country.
   * @returns `undefined` for a direct connection, where no basic proxies are configured
   * @throws ServiceError `SCRAPE_PROXY_SELECTION_ERROR` when no enhanced proxies are configured
   */
  select(route: ProxyRoute): Upstream | undefined;
  /** One route to each of the different upstreams, the basic one first. */
  routes(): ProxyRoute[];
}

/** Reports a proxy that does not work. */
type ProxyFault = (fault: { proxy: string; restMs: number; error: Error }) => void;

/** The proxies as written in the settings: URLs, or `country=URL`. */
export interface ProxySettings {
  basic: readonly string[];
  enhanced: readonly string[];
  onFault?: ProxyFault | undefined;
}

/** How long a proxy is avoided after a failure. It doubles with each failure in a row. */
const COOLDOWN_MS = 30_000;
const MAX_COOLDOWN_MS = 600_000;
/** Number of proxies that may report a target as unreachable before it is given up. */
const MAX_REFUSALS = 3;
/** Country of requests that specify none, as documented for `location`. */
const DEFAULT_COUNTRY = 'US';

const DEFAULT_PORTS = { 'http:': 80, 'https:': 443, 'socks5:': 1080 } as const;
const isScheme = (protocol: string): protocol is keyof typeof DEFAULT_PORTS =>
  Object.hasOwn(DEFAULT_PORTS, protocol);

interface PooledProxy {
  server: ProxyServer;
  country: string | undefined;
  /** Number of failures in a row. */
  faults: number;
  /** End of the cooldown, in milliseconds of `performance.now()`. */
  cooldownUntil: number;
}

/** Normalizes a country code for comparison: upper case, and `GB` for `UK`. */
const normalizeCountry = (country: string | undefined) =>
  country && (findCountry(country)?.code ?? country.toUpperCase());

/** Percent-decodes a part of a URL. A stray % stays, unlike in `decodeURIComponent`. */
const decodeUrlPart = (part: string) =>
  Buffer.from(
    part.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

/**
 * Parses one entry of a setting.
 * @throws ServiceError `BAD_REQUEST` that names setting and position, but not the entry, which contains a
 * password
 */
function parseProxy(entry: string, position: number, setting: string): PooledProxy {
  const [, country, text = ''] = /^(?:([a-z]{2})=)?(.*)$/is.exec(entry) ?? [];
  const url = URL.parse(text);
  if (!url?.hostname || !isScheme(url.protocol)) {
    const hint =
      'Write it as http://user:password@host:port, https://… or socks5://…, with de= in front for Germany';
    throw new ServiceError(
      'BAD_REQUEST',
      `${setting}: entry ${position + 1} is not the URL of a proxy. ${hint}.`,
    );
  }
  const server = {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || DEFAULT_PORTS[url.protocol],
    username: decodeUrlPart(url.username),
    password: decodeUrlPart(url.password),
  };
  return { server, country: normalizeCountry(country), faults: 0, cooldownUntil: 0 };
}

/**
 * Creates the upstream proxies from the settings. The operator chose them, so they may have private IP
 * addresses.
 * @throws ServiceError `BAD_REQUEST` for an entry that cannot be parsed
 */
export function createUpstreams({ basic, enhanced, onFault }: ProxySettings): Upstreams {
  const members: Record<ProxyKind, PooledProxy[]> = {
    basic: basic.map((entry, position) => parseProxy(entry, position, 'WINNOW_PROXIES_BASIC')),
    enhanced: enhanced.map((entry, position) => parseProxy(entry, position, 'WINNOW_PROXIES_ENHANCED')),
  };
  const pools = new Map<string, Upstream>();

  const hasCountry = (proxy: ProxyKind, code: string | undefined) =>
    members[proxy].some((pooled) => pooled.country === code);

  const select = ({ proxy, country }: ProxyRoute): Upstream | undefined => {
    const pool = members[proxy];
    if (pool.length === 0) {
      if (proxy === 'basic') return undefined;
      const message = `This service has no ${proxy} proxy. Request another kind of proxy, or leave the option out.`;
      throw new ServiceError('SCRAPE_PROXY_SELECTION_ERROR', message);
    }
    const code = normalizeCountry(country);
    const poolCountry = hasCountry(proxy, code) ? code : undefined;
    const key = `${proxy} ${poolCountry}`;
    const upstream = pools.get(key) ?? createUpstream(selectProxies(pool, poolCountry), onFault);
    pools.set(key, upstream);
    return upstream;
  };

  const routes = (): ProxyRoute[] => [
    BASIC_ROUTE,
    ...(['basic', 'enhanced'] as const).flatMap((proxy) => {
      const countries = new Set(members[proxy].map(({ country }) => country));
      return countries.size ? [...countries.add(undefined)].map((country) => ({ proxy, country })) : [];
    }),
  ];

  return {
    select,
    routes,
    offers: (proxy) => members[proxy].length > 0,
    isElsewhere: ({ proxy, country }) =>
      country !== undefined &&
      members[proxy].some((pooled) => pooled.country !== undefined) &&
      !hasCountry(proxy, normalizeCountry(country)),
  };
}

/**
 * The warning about a route whose country has no proxy, as a list.
 * @param consequence what was done instead, in a clause
 */
export function countryWarnings(
  proxies: Pick<Upstreams, 'isElsewhere'>,
  route: ProxyRoute,
  consequence: string,
): string[] {
  if (!proxies.isElsewhere(route)) return [];
  return [`There is no ${route.proxy} proxy in ${route.country?.toUpperCase()}: ${consequence}.`];
}

/**
 * Selects the proxies of a country. Without a country: those without a configured one, else those of the
 * default country, else all.
 */
function selectProxies(pool: PooledProxy[], country: string | undefined): PooledProxy[] {
  const preferred = [country, undefined, DEFAULT_COUNTRY].map((where) =>
    pool.filter((pooled) => pooled.country === where),
  );
  return preferred.find((members) => members.length > 0) ?? pool;
}

function createUpstream(members: PooledProxy[], onFault: ProxyFault | undefined): Upstream {
  let position = 0;

  /**
   * Lists available proxies first, starting with another one on each call, then those in cooldown, the
   * shortest first.
   */
  function nextProxies(): PooledProxy[] {
    const now = performance.now();
    const start = position++ % members.length;
    const round = [...members.slice(start), ...members.slice(0, start)];
    const cooling = round.filter(({ cooldownUntil }) => cooldownUntil > now);
    return [
      ...round.filter(({ cooldownUntil }) => cooldownUntil <= now),
      ...cooling.sort((one, other) => one.cooldownUntil - other.cooldownUntil),
    ];
  }

  function startCooldown(pooled: PooledProxy, error: Error): void {
    const restMs = Math.min(COOLDOWN_MS * 2 ** pooled.faults, MAX_COOLDOWN_MS);
    pooled.faults++;
    pooled.cooldownUntil = performance.now() + restMs;
    onFault?.({ proxy: `${pooled.server.hostname}:${pooled.server.port}`, restMs, error });
  }

  return {
    async connect({ host, addresses, port }) {
      // IPv4 comes first, because many proxies have no IPv6.
      const ordered = [...addresses].sort((one, other) => one.family - other.family);
      let refusals = 0;
      let failure: TunnelError | undefined;
      for (const pooled of nextProxies()) {
        try {
          const socket = await openTunnel(pooled.server, ordered[refusals % ordered.length]!, port);
          pooled.faults = 0;
          pooled.cooldownUntil = 0;
          return socket;
        } catch (error) {
          if (!(error instanceof TunnelError)) throw error;
          if (error.isProxyFault) startCooldown(pooled, error);
          else if (++refusals === MAX_REFUSALS) throw createUnreachableError(host, error);
          // An unreachable site is the more helpful error, so a proxy fault does not replace it.
          if (!failure || !error.isProxyFault) failure = error;
        }
      }
      if (failure?.isProxyFault === false) throw createUnreachableError(host, failure);
      const message = `None of the proxies for ${host} works. The log of this service has the reason for its operator.`;
      throw new ServiceError('SCRAPE_ALL_ENGINES_FAILED', message, { cause: failure });
    },
  };
}

function createUnreachableError(host: string, cause: TunnelError): ServiceError {
  const message = `${host} cannot be reached through a proxy: ${cause.message}. Check the URL and its port.`;
  return new ServiceError('SCRAPE_SITE_ERROR', message, { cause });
}
