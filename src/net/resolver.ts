import { promises as dns } from 'node:dns';
import { codeOf, ServiceError } from '../errors.ts';
import { isResolverFault } from './failure.ts';

/** An address as DNS gave it. */
export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Turns names into addresses; errors are Node's own. */
export interface Resolver {
  resolve(hostname: string): Promise<ResolvedAddress[]>;
  close(): void;
}

const LOOKUP_TIMEOUT_MS = 3_000;

/** The machine's own resolver, which knows its hosts file too. */
function systemResolver(): Resolver {
  return {
    async resolve(hostname) {
      const answers = await dns.lookup(hostname, { all: true, order: 'verbatim' });
      return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
    },
    close: () => undefined,
  };
}

/**
 * Why two lookups of one name brought no address. NXDOMAIN holds for every record type (RFC 8020); that a name has no
 * records of one type does not say that it has none of the type whose lookup failed.
 */
function failureOf(outcomes: PromiseSettledResult<unknown>[]): unknown {
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  const isAbsent = (reason: unknown) => codeOf(reason) === 'ENOTFOUND';
  return reasons.find(isAbsent) ?? reasons.find((reason) => isResolverFault(codeOf(reason))) ?? reasons[0];
}

function serverResolver(server: string): Resolver {
  const resolver = new dns.Resolver({ timeout: LOOKUP_TIMEOUT_MS, tries: 2 });
  try {
    resolver.setServers([server]);
  } catch (error) {
    const message = `WINNOW_DNS: ${JSON.stringify(server)} is no resolver. Write its IP address and port, as 192.0.2.1:53.`;
    throw new ServiceError('BAD_REQUEST', message, { cause: error });
  }
  return {
    async resolve(hostname) {
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const addresses: ResolvedAddress[] = [];
      if (v4.status === 'fulfilled') for (const address of v4.value) addresses.push({ address, family: 4 });
      if (v6.status === 'fulfilled') for (const address of v6.value) addresses.push({ address, family: 6 });
      if (addresses.length === 0) throw failureOf([v4, v6]);
      return addresses;
    },
    close: () => resolver.cancel(),
  };
}

/**
 * @param server `host:port` of a DNS server; absent: the machine's resolver
 * @throws ServiceError `BAD_REQUEST` for a server that cannot be read
 */
export function createResolver(server: string | undefined): Resolver {
  return server === undefined ? systemResolver() : serverResolver(server);
}
