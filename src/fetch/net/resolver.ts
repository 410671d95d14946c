import { promises as dns } from 'node:dns';
import { codeOf, ServiceError } from '../../errors.ts';
import { isResolverError } from './fetch-error.ts';
import { type ResolvedAddress, type Resolver, SystemResolver } from './system-resolver.ts';

const LOOKUP_TIMEOUT_MS = 3_000;

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

/** Asks DNS servers without a thread, so that names which they never answer hold up no others. */
class ServerResolver implements Resolver {
  readonly #servers: readonly string[] | undefined;
  readonly #active = new Set<dns.Resolver>();

  /**
   * @param servers `host:port` of each; absent: those of the operating system
   * @throws Error for an address that cannot be parsed
   */
  constructor(servers?: readonly string[]) {
    this.#servers = servers;
    this.#openChannel();
  }

  /**
   * Opens a resolver for one lookup, because a c-ares channel shortens its timeout to a multiple of the latency
   * that it has measured: after some quick responses, a name that takes the DNS server more than a second would
   * time out.
   */
  #openChannel(): dns.Resolver {
    const channel = new dns.Resolver({ timeout: LOOKUP_TIMEOUT_MS, tries: 2 });
    if (this.#servers) channel.setServers(this.#servers);
    return channel;
  }

  async resolve(hostname: string): Promise<ResolvedAddress[]> {
    const channel = this.#openChannel();
    this.#active.add(channel);
    const [v4, v6] = await Promise.allSettled([channel.resolve4(hostname), channel.resolve6(hostname)]);
    this.#active.delete(channel);
    const addresses: ResolvedAddress[] = [];
    if (v4.status === 'fulfilled') for (const address of v4.value) addresses.push({ address, family: 4 });
    if (v6.status === 'fulfilled') for (const address of v6.value) addresses.push({ address, family: 6 });
    if (addresses.length === 0) throw selectError([v4, v6]);
    return addresses;
  }

  close(): void {
    for (const channel of this.#active) channel.cancel();
  }
}

/**
 * Creates a resolver.
 * @param server `host:port` of a DNS server; `undefined` for the resolver of the operating system
 * @throws ServiceError `BAD_REQUEST` for a server address that cannot be parsed
 */
export function createResolver(server: string | undefined): Resolver {
  if (server === undefined) return new SystemResolver(new ServerResolver());
  try {
    return new ServerResolver([server]);
  } catch (error) {
    const message = `WINNOW_DNS: ${JSON.stringify(server)} is not the address of a DNS server. Write its IP address and port, such as 192.0.2.1:53.`;
    throw new ServiceError('BAD_REQUEST', message, { cause: error });
  }
}
