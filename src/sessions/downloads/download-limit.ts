import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type CdpConnection, Disconnected } from '../../fetch/browser/chromium/cdp.ts';
import { every } from '../../system/every.ts';
import type { Logger } from '../../system/logger.ts';
import { DirectoryLimit } from '../code/directory-limit.ts';
import { type CanceledDownload, MAX_DOWNLOADS_BYTES } from './downloads.ts';

/** Options of {@link DownloadLimit}. */
interface DownloadLimitOptions {
  /** The directory of downloads. */
  directory: string;
  /** Called with each download that was not kept. */
  onCanceled(download: CanceledDownload): void;
  logger: Pick<Logger, 'warn'>;
}

/** How often the directory is measured while the browser stores something, in milliseconds. */
const MEASURE_INTERVAL_MS = 200;
/** Canceled downloads that are remembered. */
const MAX_CANCELED = 100;
const MAX_NAME_LENGTH = 255;

/**
 * Cancels downloads of the browser that would exceed the size that the downloads of a session may have. The
 * browser and its pages continue. It hears of the downloads of all contexts whose behavior the host has set.
 */
export class DownloadLimit {
  readonly #connection: CdpConnection;
  readonly #options: DownloadLimitOptions;
  readonly #size: DirectoryLimit;
  /** The names of downloads that the browser stores now, by their GUIDs. */
  readonly #running = new Map<string, string>();
  readonly #canceling = new Set<string>();
  readonly #canceled: CanceledDownload[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(connection: CdpConnection, options: DownloadLimitOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#size = new DirectoryLimit(options.directory, MAX_DOWNLOADS_BYTES);
    const { browser } = connection;
    browser.on('Browser.downloadWillBegin', ({ guid, suggestedFilename }) => {
      this.#running.set(guid, suggestedFilename.slice(0, MAX_NAME_LENGTH));
      this.#timer ??= every(MEASURE_INTERVAL_MS, () => this.#measure(), this.#onFault);
    });
    browser.on('Browser.downloadProgress', ({ guid, state, totalBytes, filePath }) => {
      if (state === 'inProgress') {
        if (totalBytes > MAX_DOWNLOADS_BYTES) this.#cancel(guid).catch(this.#onFault);
      } else this.#end(guid, state === 'completed' ? filePath : undefined).catch(this.#onFault);
    });
    void connection.closed.then(() => {
      this.#hasEnded = true;
      clearInterval(this.#timer);
    });
  }

  /** The downloads that were not kept, the newest last. */
  get canceled(): readonly CanceledDownload[] {
    return this.#canceled;
  }

  /** The browser may end meanwhile, and its directory with it. */
  readonly #onFault = (error: unknown): void => {
    if (!this.#hasEnded && !(error instanceof Disconnected))
      this.#options.logger.warn({ err: error }, 'the size of the downloads of a session was not limited');
  };

  async #measure(): Promise<void> {
    if (await this.#size.isExceeded())
      await Promise.all([...this.#running.keys()].map((guid) => this.#cancel(guid)));
  }

  /** A small or quick download may be complete before it was measured, so that its file has to be deleted. */
  async #end(guid: string, filePath: string | undefined): Promise<void> {
    const name = this.#running.get(guid);
    const isCanceled = this.#canceling.delete(guid) && filePath === undefined;
    this.#running.delete(guid);
    if (this.#running.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (name === undefined) return;
    if (isCanceled) this.#report(name);
    else if (filePath !== undefined && (await this.#hasTooMuch())) {
      await rm(join(this.#options.directory, basename(filePath)), { force: true });
      this.#report(name);
    }
  }

  /** Whether the directory is too large now. */
  async #hasTooMuch(): Promise<boolean> {
    // A measurement that runs already may have missed a file while the browser renamed it.
    await this.#size.isExceeded();
    return this.#size.isExceeded();
  }

  /** Cancels a download. Its end is an event. */
  async #cancel(guid: string): Promise<void> {
    if (!this.#running.has(guid) || this.#canceling.has(guid)) return;
    this.#canceling.add(guid);
    const { browser } = this.#connection;
    // The event of a download does not say which context it belongs to. Without an id, it is the default one.
    const { browserContextIds } = await browser.send('Target.getBrowserContexts');
    for (const context of [{}, ...browserContextIds.map((browserContextId) => ({ browserContextId }))]) {
      try {
        await browser.send('Browser.cancelDownload', { guid, ...context });
        return;
      } catch {
        // It belongs to another context, or has just ended.
      }
    }
  }

  #report(name: string): void {
    const download = {
      name,
      reason: `The session has more than ${MAX_DOWNLOADS_BYTES / 1024 / 1024} MiB of downloads with it. Delete files in /downloads, or start another session.`,
    };
    this.#canceled.push(download);
    if (this.#canceled.length > MAX_CANCELED) this.#canceled.shift();
    this.#options.onCanceled(download);
  }
}
