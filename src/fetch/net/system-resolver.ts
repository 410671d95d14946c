import { promises as dns } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { codeOf } from '../../errors.ts';
import { CallSlots } from '../../system/call-slots.ts';

/** An IP address of a name. */
export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Resolves names to IP addresses. Errors are those of Node's `dns`. */
export interface Resolver {
  /** @param owner the team for which a name is looked up, if that is known; teams take turns */
  resolve(hostname: string, owner?: string): Promise<ResolvedAddress[]>;
  close(): void;
}

/** Where the operating system has names of its own (hosts(5)). */
const HOSTS_FILE = '/etc/hosts';
/**
 * Lookups by the operating system at once of names that DNS does not know. Each takes one of the two threads
 * that Node has for all lookups of a process, and may take it for half a minute.
 */
const UNKNOWN_AT_ONCE = 1;
/** How long such a lookup may wait for its thread and take, in milliseconds. */
const UNKNOWN_MS = 5_000;
/**
 * Codes of c-ares by which the operating system may know more: the name does not exist, has no address, or no
 * server listens.
 */
const UNKNOWN_CODES = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/** The owner of lookups that are nobody's; no team has this id. */
const NOBODY = '';

/** Has the operating system look up a name, which takes a thread. */
export type SystemLookup = (hostname: string) => Promise<ResolvedAddress[]>;

const lookUpBySystem: SystemLookup = async (hostname) => {
  const addresses = await dns.lookup(hostname, { all: true, order: 'verbatim' });
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/**
 * Resolves names as the operating system does, but asks its DNS servers without it: it has two threads for
 * that, which two names hold for many seconds that their servers never answer, and a page may have thousands of
 * them. The operating system itself is asked for names of its hosts file, which takes no time, and for
 * names that DNS does not know: those of search domains, of other machines on the network, and so on. The teams
 * take turns, of which those lookups that are nobody's have one together, such as those of Chromium, which connects for
 * all teams by the same proxy. The sites of these take turns.
 */
export class SystemResolver implements Resolver {
  readonly #servers: Resolver;
  readonly #lookUp: SystemLookup;
  readonly #slots = new CallSlots(UNKNOWN_AT_ONCE);
  readonly #slotsOfNobody = new CallSlots(UNKNOWN_AT_ONCE);

  /** @param servers the DNS servers of the operating system @param lookUp for tests */
  constructor(servers: Resolver, lookUp: SystemLookup = lookUpBySystem) {
    this.#servers = servers;
    this.#lookUp = lookUp;
  }

  async resolve(hostname: string, owner?: string): Promise<ResolvedAddress[]> {
    if (isInHostsFile(hostname)) return this.#lookUp(hostname);
    try {
      return await this.#servers.resolve(hostname);
    } catch (error) {
      if (!UNKNOWN_CODES.has(codeOf(error) ?? '')) throw error;
      return this.#lookUpUnknown(hostname, { owner, error });
    }
  }

  /** @throws the error of DNS if the operating system has no address for the name in time */
  async #lookUpUnknown(
    hostname: string,
    { owner, error }: { owner: string | undefined; error: unknown },
  ): Promise<ResolvedAddress[]> {
    const signal = AbortSignal.timeout(UNKNOWN_MS);
    // The thread stays taken until the lookup ends, whoever still waits for it.
    const lookUp = (turn: string) => this.#slots.run(() => this.#lookUp(hostname), { owner: turn, signal });
    const lookup =
      owner === undefined
        ? this.#slotsOfNobody.run(() => lookUp(NOBODY), { owner: siteOf(hostname), signal })
        : lookUp(owner);
    const late = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => late.reject(error), { once: true });
    return Promise.race([lookup, late.promise]).catch(() => {
      throw error;
    });
  }

  close(): void {
    this.#servers.close();
  }
}

/** The last two labels of a name: its registrable domain or what is above it, in whose turn it is looked up. */
const siteOf = (hostname: string) => hostname.split('.').slice(-2).join('.');

/** The names of the hosts file as it was last read. */
let known = { changedMs: Number.NaN, names: new Set<string>() };

/** Whether the operating system has addresses of its own for a name. */
function isInHostsFile(hostname: string): boolean {
  try {
    const { mtimeMs: changedMs } = statSync(HOSTS_FILE);
    if (changedMs !== known.changedMs)
      known = { changedMs, names: listNames(readFileSync(HOSTS_FILE, 'utf8')) };
    return known.names.has(hostname);
  } catch {
    // Without the file, or without the right to read it, there are no such names.
    return false;
  }
}

/** The names in the text of a hosts file: each line has an IP address, names, and perhaps a comment. */
const listNames = (text: string) =>
  new Set(
    text.split('\n').flatMap((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/).slice(1)),
  );
