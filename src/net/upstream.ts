import type { Socket } from 'node:net';
import { findCountry } from '../country.ts';
import { ServiceError } from '../errors.ts';
import type { ProxyKind } from '../snapshot.ts';
import type { ResolvedAddress } from './resolver.ts';
import { openTunnel, type ProxyServer, TunnelError } from './tunnel.ts';

/** By which proxies something is fetched, where there are any. */
export interface Route {
  proxy: ProxyKind;
  /** ISO 3166-1 alpha-2, in any case; `undefined`: wherever. */
  country: string | undefined;
}

/** The route of what is fetched without wishes. */
export const BASIC: Route = { proxy: 'basic', country: undefined };

/** The proxies of a route. */
export interface Upstream {
  /**
   * Opens a connection through one of them: each in its turn, those that failed lately last.
   * @param target its host as messages should name it, its checked addresses and its port
   * @throws ServiceError `SCRAPE_SITE_ERROR` when they cannot get there, `SCRAPE_ALL_ENGINES_FAILED` when none works
   */
  connect(target: { host: string; addresses: readonly ResolvedAddress[]; port: number }): Promise<Socket>;
}

/** The operator's proxies. */
export interface Upstreams {
  /** Whether there are proxies of a kind, wherever they are. */
  offers(proxy: ProxyKind): boolean;
  /** Whether proxies of the route's kind say where they are, and none of them is in the route's country. */
  isElsewhere(route: Route): boolean;
  /**
   * The proxies of a route, the same object each time; `undefined` where there are no basic ones at all: it is direct.
   * A country without a proxy has those of a route that names none.
   * @throws ServiceError `SCRAPE_PROXY_SELECTION_ERROR` when there are no enhanced ones at all
   */
  of(route: Route): Upstream | undefined;
}

/** What is told when a proxy does not work. */
type ProxyFault = (fault: { proxy: string; restMs: number; error: Error }) => void;

/** The operator's proxies as they are written in settings: addresses, or `country=address`. */
export interface ProxySettings {
  basic: readonly string[];
  enhanced: readonly string[];
  onFault?: ProxyFault | undefined;
}

/** What a proxy rests after it failed; twice as long each time, until it works again. */
const REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;
/** A target that so many proxies cannot reach is given up. */
const MOST_REFUSALS = 3;
/** The country of who names none (spec: `location`). */
const HOME = 'US';

const SCHEMES = { 'http:': 80, 'https:': 443, 'socks5:': 1080 } as const;
const isScheme = (protocol: string): protocol is keyof typeof SCHEMES => Object.hasOwn(SCHEMES, protocol);

interface Member {
  server: ProxyServer;
  country: string | undefined;
  /** Times that it failed in a row. */
  faults: number;
  /** It rests until then, by the process' clock. */
  restsUntil: number;
}

/** The code of a country in the one spelling that codes are compared in: upper case, `GB` for `UK`. */
const codeOf = (country: string | undefined) =>
  country && (findCountry(country)?.code ?? country.toUpperCase());

/** A part of an address without its %XX, which URLs leave as ASCII; a stray % is itself. */
const decode = (part: string) =>
  Buffer.from(
    part.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

/** @throws ServiceError `BAD_REQUEST` that names setting and position, never the entry: it holds a password */
function parseMember(entry: string, position: number, setting: string): Member {
  const [, country, address = ''] = /^(?:([a-z]{2})=)?(.*)$/is.exec(entry) ?? [];
  const url = URL.parse(address);
  if (!url?.hostname || !isScheme(url.protocol)) {
    const shape =
      'Write it as http://user:password@host:port, https://… or socks5://…, with de= in front for Germany';
    throw new ServiceError('BAD_REQUEST', `${setting}: entry ${position + 1} is no proxy. ${shape}.`);
  }
  const server = {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || SCHEMES[url.protocol],
    username: decode(url.username),
    password: decode(url.password),
  };
  return { server, country: codeOf(country), faults: 0, restsUntil: 0 };
}

/**
 * Reads the operator's proxies. They are the operator's own, so their addresses may be private.
 * @throws ServiceError `BAD_REQUEST` for an entry that cannot be read
 */
export function createUpstreams({ basic, enhanced, onFault }: ProxySettings): Upstreams {
  const members: Record<ProxyKind, Member[]> = {
    basic: basic.map((entry, position) => parseMember(entry, position, 'WINNOW_PROXIES_BASIC')),
    enhanced: enhanced.map((entry, position) => parseMember(entry, position, 'WINNOW_PROXIES_ENHANCED')),
  };
  const known = new Map<string, Upstream>();

  const isThere = (proxy: ProxyKind, code: string | undefined) =>
    members[proxy].some((member) => member.country === code);

  const of = ({ proxy, country }: Route): Upstream | undefined => {
    const pool = members[proxy];
    if (pool.length === 0) {
      if (proxy === 'basic') return undefined;
      const message = `There is no ${proxy} proxy. Ask for another proxy, or leave it out.`;
      throw new ServiceError('SCRAPE_PROXY_SELECTION_ERROR', message);
    }
    const code = codeOf(country);
    const wanted = isThere(proxy, code) ? code : undefined;
    const key = `${proxy} ${wanted}`;
    const upstream = known.get(key) ?? createUpstream(choose(pool, wanted), onFault);
    known.set(key, upstream);
    return upstream;
  };

  return {
    of,
    offers: (proxy) => members[proxy].length > 0,
    isElsewhere: ({ proxy, country }) =>
      country !== undefined &&
      members[proxy].some((member) => member.country !== undefined) &&
      !isThere(proxy, codeOf(country)),
  };
}

/** Those of a country; without one those that do not say where they are, else those at home, else all. */
function choose(pool: Member[], country: string | undefined): Member[] {
  const preferred = [country, undefined, HOME].map((where) =>
    pool.filter((member) => member.country === where),
  );
  return preferred.find((members) => members.length > 0) ?? pool;
}

function createUpstream(members: Member[], onFault: ProxyFault | undefined): Upstream {
  let turn = 0;

  /** Those awake first, each call beginning with another; then the others, who rests the shortest first. */
  function order(): Member[] {
    const now = performance.now();
    const start = turn++ % members.length;
    const round = [...members.slice(start), ...members.slice(0, start)];
    const waking = round.filter(({ restsUntil }) => restsUntil > now);
    return [
      ...round.filter(({ restsUntil }) => restsUntil <= now),
      ...waking.sort((one, other) => one.restsUntil - other.restsUntil),
    ];
  }

  function rest(member: Member, error: Error): void {
    const restMs = Math.min(REST_MS * 2 ** member.faults, LONGEST_REST_MS);
    member.faults++;
    member.restsUntil = performance.now() + restMs;
    onFault?.({ proxy: `${member.server.hostname}:${member.server.port}`, restMs, error });
  }

  return {
    async connect({ host, addresses, port }) {
      // Many proxies have IPv4 only.
      const ordered = [...addresses].sort((one, other) => one.family - other.family);
      let refusals = 0;
      let failure: TunnelError | undefined;
      for (const member of order()) {
        try {
          const socket = await openTunnel(member.server, ordered[refusals % ordered.length]!, port);
          member.faults = 0;
          member.restsUntil = 0;
          return socket;
        } catch (error) {
          if (!(error instanceof TunnelError)) throw error;
          if (error.ofProxy) rest(member, error);
          else if (++refusals === MOST_REFUSALS) throw unreachable(host, error);
          // That the site cannot be reached says more than that a proxy does not work.
          if (!failure || !error.ofProxy) failure = error;
        }
      }
      if (failure?.ofProxy === false) throw unreachable(host, failure);
      const message = `None of the proxies for ${host} works. The operator of this service finds the reason in its log.`;
      throw new ServiceError('SCRAPE_ALL_ENGINES_FAILED', message, { cause: failure });
    },
  };
}

function unreachable(host: string, cause: TunnelError): ServiceError {
  const message = `${host} cannot be reached through a proxy: ${cause.message}. Check the address and its port.`;
  return new ServiceError('SCRAPE_SITE_ERROR', message, { cause });
}
