import { existsSync } from 'node:fs';
import { ServiceError } from '../../errors.ts';
import type { Appearance } from '../../fetch/browser/device-emulation.ts';
import type { Logger } from '../../system/logger.ts';
import type { Confinement } from '../../system/sandbox/confinement.ts';
import { CodeRunner } from '../code/code-runner.ts';
import { createSessionDirectory, type SessionDirectory } from '../session-directory.ts';
import type { SessionMetrics } from '../session-metrics.ts';
import { BROWSER_LIMITS, type BrowserLimits, watchBrowser } from './browser-limits.ts';
import { ProcessorShares } from './processor-shares.ts';
import type { RunningBrowser, SessionProxy } from './running-browser.ts';
import { type BrowserSandbox, openBrowserSandbox } from './session-browser.ts';

/** Options of {@link BrowserStarter}. */
export interface BrowserStarterOptions {
  /** The Chromium binary. */
  executablePath: string;
  confinement: Confinement;
  /** The directory of installed and prepared programs. */
  cacheDir: string;
  metrics: SessionMetrics;
  logger: Logger;
  /** The limits of each browser, by default {@link BROWSER_LIMITS}. */
  browserLimits?: BrowserLimits | undefined;
}

/**
 * How long after a start the sandbox of the next browser is opened, in milliseconds: the first second of a
 * session is when its clients connect.
 */
const DELAY_MS = 1_000;

/** A sandbox for a browser, with its directory. */
interface OpenSandbox {
  sandbox: BrowserSandbox;
  directory: SessionDirectory;
}

/**
 * Starts the browsers of a host, each in a sandbox with a directory of its own. The sandbox of the next one
 * is opened ahead, because that is a third of a start.
 */
export class BrowserStarter {
  readonly #options: BrowserStarterOptions;
  readonly #shares = new ProcessorShares();
  #nextSandbox: Promise<OpenSandbox | undefined> | undefined;
  #isClosed = false;

  constructor(options: BrowserStarterOptions) {
    this.#options = options;
    this.#prepareSandbox();
  }

  /** Starts the browser of a visitor. @throws ServiceError `SESSION_FAILED` if it does not start */
  async start(visitor: Appearance, proxy: SessionProxy): Promise<RunningBrowser> {
    const { confinement, cacheDir, logger } = this.#options;
    try {
      const { sandbox, directory } = await this.#takeSandbox();
      try {
        const chromium = await sandbox.startBrowser(visitor, proxy.serve);
        const code = new CodeRunner({ confinement, cacheDir, directory, logger });
        const exceeded = this.#watch({ chromium, directory });
        return { chromium, directory, code, exceeded, visitor, timezone: visitor.timezone, proxy };
      } catch (error) {
        await directory.remove();
        throw error;
      }
    } catch (cause) {
      throw new ServiceError('SESSION_FAILED', 'The browser of the session did not start. Try again.', {
        cause,
      });
    } finally {
      setTimeout(() => this.#prepareSandbox(), DELAY_MS).unref();
    }
  }

  /** Closes the sandbox that no browser has been started in. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const next = await this.#nextSandbox;
    this.#nextSandbox = undefined;
    if (next) await closeSandbox(next);
  }

  /** Opens the sandbox of the next browser. If that fails, the next start reports it. */
  #prepareSandbox(): void {
    if (!this.#isClosed) this.#nextSandbox ??= this.#openSandbox().catch(() => undefined);
  }

  /** @returns the sandbox that was opened ahead, else a new one */
  async #takeSandbox(): Promise<OpenSandbox> {
    const preparing = this.#nextSandbox;
    this.#nextSandbox = undefined;
    const prepared = await preparing;
    // It may have been killed, and old temporary files may have been deleted.
    if (prepared && !prepared.sandbox.hasEnded && existsSync(prepared.directory.profile)) return prepared;
    if (prepared) await closeSandbox(prepared);
    return this.#openSandbox();
  }

  async #openSandbox(): Promise<OpenSandbox> {
    const { executablePath, metrics, confinement, logger } = this.#options;
    const directory = await createSessionDirectory();
    metrics.orphans.inc(directory.abandoned);
    try {
      const sandbox = await openBrowserSandbox({ executablePath, directory, confinement, logger });
      return { sandbox, directory };
    } catch (error) {
      await directory.remove();
      throw error;
    }
  }

  /**
   * Measures a browser, and ends one that uses more than it may. Its user, a session or a scrape, notices
   * that.
   */
  #watch(browser: Pick<RunningBrowser, 'chromium' | 'directory'>): RunningBrowser['exceeded'] {
    const { logger, browserLimits = BROWSER_LIMITS } = this.#options;
    const { pid, connection } = browser.chromium;
    const exceeded = watchBrowser({
      ...browser,
      limits: browserLimits,
      logger,
      onMeasured: ({ processorMs }) => pid && this.#shares.note(pid, processorMs),
    });
    void connection.closed.then(() => pid && this.#shares.forget(pid));
    exceeded
      .then((limit) => {
        logger.warn({ limit }, 'a browser of a session or scrape used more than it may, so it was ended');
        return browser.chromium.close(0);
      })
      .catch((error) => logger.warn({ err: error }, 'a browser that used more than it may did not end'));
    return exceeded;
  }
}

async function closeSandbox({ sandbox, directory }: OpenSandbox): Promise<void> {
  sandbox.close();
  await directory.remove();
}
