import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { type LaunchOptions, launchChromium } from './launch.ts';

/** Contexts of one Chromium, which is started when first needed and again when it dies. */
export interface BrowserPool {
  /**
   * Runs `use` with a context of its own, which shares nothing with any other; at most `contexts` at once, others
   * wait their turn until the signal fires.
   */
  lease<Result>(
    options: BrowserContextOptions,
    use: (context: BrowserContext) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>;
  /** Resolves when a browser runs. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** @param contexts how many pages may be open at once */
export function createBrowserPool(options: LaunchOptions & { contexts: number }): BrowserPool {
  let running: Promise<Browser> | undefined;
  let open = 0;
  const queue: (() => void)[] = [];

  function browser(): Promise<Browser> {
    if (running) return running;
    const starting = launchChromium(options);
    const forget = () => {
      if (running === starting) running = undefined;
    };
    starting.then((started) => {
      started.on('disconnected', () => {
        if (running === starting) options.logger.warn('Chromium ended; the next page starts another');
        forget();
      });
    }, forget);
    running = starting;
    return starting;
  }

  async function turn(signal: AbortSignal): Promise<void> {
    if (open < options.contexts) {
      open++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(enter);
    });
  }

  function giveTurn(): void {
    const next = queue.shift();
    if (next) next();
    else open--;
  }

  return {
    async lease(contextOptions, use, signal) {
      await turn(signal);
      try {
        const context = await (await browser()).newContext(contextOptions);
        // Closing at the deadline makes every call on the context fail at once, a hung page's too.
        const abort = () => void context.close().catch(() => undefined);
        signal.addEventListener('abort', abort, { once: true });
        try {
          signal.throwIfAborted();
          // A call under way when Chromium is killed may never settle.
          const gone = Promise.withResolvers<never>();
          context.once('close', () =>
            gone.reject(signal.reason ?? new Error('Chromium ended under the page')),
          );
          return await Promise.race([gone.promise, use(context)]);
        } finally {
          signal.removeEventListener('abort', abort);
          await Promise.race([
            context.close().catch(() => undefined),
            sleep(5_000, undefined, { ref: false }),
          ]);
        }
      } finally {
        giveTurn();
      }
    },
    async ready() {
      // Killed while it starts, it is started once more, as after any other death.
      await browser().catch(browser);
    },
    async close() {
      const closing = running;
      running = undefined;
      await (await closing)?.close();
    },
  };
}
