import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowsingContext } from './browsing-context.ts';
import type { CdpConnection } from './cdp.ts';

/** A context is closed after so many visits, so that nothing adds up in it. */
const MAX_VISITS = 25;
/** A context that no visit has used for so long, in milliseconds, is closed. */
const IDLE_MS = 5_000;
/** A context that cannot be cleared within so many milliseconds is closed. */
const MAX_CLEARING_MS = 2_000;

interface KeptContext {
  sharedBy: string;
  context: BrowsingContext;
  idleTimer: NodeJS.Timeout;
}

/**
 * Contexts between two visits of the same job to the same host. They are cleared of cookies and storage after
 * each visit; what remains is the cache and the process of the page, which take a third of the CPU time of a
 * visit to make.
 */
export class KeptContexts {
  readonly #max: number;
  /** The longest unused one first. */
  readonly #kept = new Set<KeptContext>();
  readonly #visits = new WeakMap<BrowsingContext, number>();

  /** @param max how many are kept at most */
  constructor(max: number) {
    this.#max = max;
  }

  /** The contexts between the visits that share them, in one browser. */
  between(sharedBy: string, connection: CdpConnection) {
    return {
      /** Takes a context for a visit. @returns `undefined` if there is none */
      take: (): BrowsingContext | undefined => {
        const found = [...this.#kept].findLast(
          (each) => each.sharedBy === sharedBy && each.context.connection === connection,
        );
        if (found) this.#forget(found);
        return found?.context;
      },
      /** Keeps a context for the next visit, or closes it if it has served enough of them. */
      keep: (context: BrowsingContext): Promise<void> => this.#keep(sharedBy, context),
    };
  }

  /** Closes all. */
  closeAll(): void {
    for (const each of this.#kept) this.#close(each);
  }

  async #keep(sharedBy: string, context: BrowsingContext): Promise<void> {
    const visits = (this.#visits.get(context) ?? 0) + 1;
    this.#visits.set(context, visits);
    const isCleared = visits < MAX_VISITS && (await clear(context));
    if (!isCleared) return context.close();
    const kept: KeptContext = {
      sharedBy,
      context,
      idleTimer: setTimeout(() => this.#close(kept), IDLE_MS).unref(),
    };
    this.#kept.add(kept);
    const [oldest] = this.#kept;
    if (oldest && this.#kept.size > this.#max) this.#close(oldest);
  }

  #forget(kept: KeptContext): void {
    clearTimeout(kept.idleTimer);
    this.#kept.delete(kept);
  }

  #close(kept: KeptContext): void {
    this.#forget(kept);
    // A browser that has ended has closed its contexts.
    kept.context.close().catch(() => undefined);
  }
}

/** @returns whether nothing of the last visit is left that a page could read */
async function clear(context: BrowsingContext): Promise<boolean> {
  const cleared = context.clear?.().then(
    () => true,
    // The page may have crashed meanwhile.
    () => false,
  );
  return Promise.race([cleared ?? false, sleep(MAX_CLEARING_MS, false, { ref: false })]);
}
