import { promises as dns } from 'node:dns';
import { codeOf, ServiceError } from '../../errors.ts';
import { isResolverError } from './fetch-error.ts';

/** An IP address of a name. */
export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Resolves names to IP addresses. Errors are those of Node's `dns`. */
export interface Resolver {
  resolve(hostname: string): Promise<ResolvedAddress[]>;
  close(): void;
}

const LOOKUP_TIMEOUT_MS = 3_000;

/** Creates a resolver that uses the operating system, hosts file included. */
function createSystemResolver(): Resolver {
  return {
    async resolve(hostname) {
      const addresses = await dns.lookup(hostname, { all: true, order: 'verbatim' });
      return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
    },
    close: () => undefined,
  };
}

/**
 * Selects the error that explains why neither lookup of a name returned an address. NXDOMAIN holds for every
 * record type (RFC 8020) and comes first. A missing record of one type says nothing about the type whose
 * lookup failed, so a resolver error comes second.
 */
function selectError(outcomes: PromiseSettledResult<unknown>[]): unknown {
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  const isAbsent = (reason: unknown) => codeOf(reason) === 'ENOTFOUND';
  return reasons.find(isAbsent) ?? reasons.find((reason) => isResolverError(codeOf(reason))) ?? reasons[0];
}

function createServerResolver(server: string): Resolver {
  const active = new Set<dns.Resolver>();
  // Each lookup has a resolver of its own, because a c-ares channel shortens its timeout to a multiple of the
  // latency that it has measured: after some quick responses, a name that takes the DNS server more than a
  // second would time out.
  const openChannel = () => {
    const channel = new dns.Resolver({ timeout: LOOKUP_TIMEOUT_MS, tries: 2 });
    channel.setServers([server]);
    return channel;
  };
  try {
    openChannel();
  } catch (error) {
    const message = `WINNOW_DNS: ${JSON.stringify(server)} is not the address of a DNS server. Write its IP address and port, such as 192.0.2.1:53.`;
    throw new ServiceError('BAD_REQUEST', message, { cause: error });
  }
  return {
    async resolve(hostname) {
      const channel = openChannel();
      active.add(channel);
      const [v4, v6] = await Promise.allSettled([channel.resolve4(hostname), channel.resolve6(hostname)]);
      active.delete(channel);
      const addresses: ResolvedAddress[] = [];
      if (v4.status === 'fulfilled') for (const address of v4.value) addresses.push({ address, family: 4 });
      if (v6.status === 'fulfilled') for (const address of v6.value) addresses.push({ address, family: 6 });
      if (addresses.length === 0) throw selectError([v4, v6]);
      return addresses;
    },
    close() {
      for (const channel of active) channel.cancel();
    },
  };
}

/**
 * Creates a resolver.
 * @param server `host:port` of a DNS server; `undefined` for the resolver of the operating system
 * @throws ServiceError `BAD_REQUEST` for a server address that cannot be parsed
 */
export function createResolver(server: string | undefined): Resolver {
  return server === undefined ? createSystemResolver() : createServerResolver(server);
}
