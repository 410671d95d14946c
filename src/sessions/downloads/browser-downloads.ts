import { lstat, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type CdpConnection, type CdpMessage, Disconnected } from '../../fetch/browser/chromium/cdp.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { every } from '../../system/every.ts';
import type { Logger } from '../../system/logger.ts';
import { DirectoryLimit } from '../code/directory-limit.ts';
import type { SessionDirectory } from '../session-directory.ts';
import { DOWNLOADS_PATH } from '../session-paths.ts';
import { type CanceledDownload, MAX_DOWNLOADS_BYTES } from './downloads.ts';
import { FileNames } from './file-names.ts';

/** Options of {@link BrowserDownloads}. */
interface BrowserDownloadsOptions {
  directory: Pick<SessionDirectory, 'downloads' | 'incoming' | 'artifacts' | 'uploads'>;
  /** Called with each download that was not kept. */
  onCanceled(download: CanceledDownload): void;
  logger: Pick<Logger, 'warn'>;
}

/** A download that the browser has begun. */
interface RunningDownload {
  /** The name that its file gets. */
  name: string;
  isCanceling: boolean;
  /** Resolves when its file is where it belongs, or will not come. */
  ended: PromiseWithResolvers<void>;
}

/** How often the files are measured while the browser stores something, in milliseconds. */
const MEASURE_INTERVAL_MS = 200;
/** Canceled downloads that are remembered. */
const MAX_CANCELED = 100;
/** Why a download is not kept. */
const NO_ROOM = `The session has more than ${MAX_DOWNLOADS_BYTES / 1024 / 1024} MiB of downloads with it. Delete files in /downloads, or start another session.`;
const NOT_STORED = 'Its file could not be stored. Download it again, or start another session.';
/** The ids of downloads are UUIDs. Anything else may lead out of a directory. */
const GUID = /^[\w-]{1,64}$/;

/**
 * The downloads of a session's browser. Chromium stores each under its id, because it would overwrite files
 * of the same name; here it gets a name of its own among the files of the session. A download that would
 * exceed their size is canceled; the browser and its pages continue. Those of all contexts whose behavior the
 * host has set are noticed.
 */
export class BrowserDownloads {
  /** The names of the files of the session. */
  readonly names: FileNames;
  readonly #connection: CdpConnection;
  readonly #options: BrowserDownloadsOptions;
  readonly #size: DirectoryLimit;
  readonly #running = new Map<string, RunningDownload>();
  readonly #listeners = new Set<(event: CdpMessage) => void>();
  readonly #canceled: CanceledDownload[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(connection: CdpConnection, options: BrowserDownloadsOptions) {
    this.#connection = connection;
    this.#options = options;
    const { downloads, incoming, artifacts, uploads } = options.directory;
    this.names = new FileNames(downloads);
    this.#size = new DirectoryLimit([downloads, incoming, artifacts, uploads], MAX_DOWNLOADS_BYTES);
    connection.onEvent((event) => this.#receive(event));
    void connection.closed.then(() => {
      this.#hasEnded = true;
      clearInterval(this.#timer);
    });
  }

  /** The downloads that were not kept, the newest last. */
  get canceled(): readonly CanceledDownload[] {
    return this.#canceled;
  }

  /**
   * Calls a listener with the events `Browser.downloadWillBegin` and `Browser.downloadProgress`. The name in
   * them is that of the file, and a download is complete when its file is there.
   * @returns the function that ends that
   */
  onEvent(listener: (event: CdpMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The name of the file of a download that has not ended. */
  nameOf(guid: string): string | undefined {
    return this.#running.get(guid)?.name;
  }

  /** The id of the download that has not ended and whose name is accepted. */
  guidWhere(isWanted: (name: string) => boolean): string | undefined {
    return [...this.#running].find(([, { name }]) => isWanted(name))?.[0];
  }

  /** Waits until a download has ended. */
  async ended(guid: string): Promise<void> {
    await this.#running.get(guid)?.ended.promise;
  }

  /** Whether the files of the session have more bytes, or are more, than they may. */
  isFull(): Promise<boolean> {
    return this.#size.isExceededNow();
  }

  /** The browser may end meanwhile, and its directory with it. */
  readonly #onFault = (error: unknown): void => {
    if (!this.#hasEnded && !(error instanceof Disconnected))
      this.#options.logger.warn({ err: error }, 'a download of a session was not stored');
  };

  #receive({ method, params }: CdpMessage): void {
    if (method === undefined || !DOWNLOAD_EVENTS.has(method)) return;
    const { guid, suggestedFilename, state, totalBytes } = fieldsOf(params);
    if (typeof guid !== 'string' || !GUID.test(guid)) return;
    if (method.endsWith('WillBegin')) {
      const { name } = this.#running.get(guid) ?? this.#begin(guid, String(suggestedFilename));
      if (method === 'Browser.downloadWillBegin')
        this.#emit({ method, params: { ...params, suggestedFilename: name } });
      return;
    }
    if (state !== 'inProgress') return void this.#end({ method, params }, guid).catch(this.#onFault);
    this.#emit({ method, params: params ?? {} });
    if (Number(totalBytes) > MAX_DOWNLOADS_BYTES) this.#cancel(guid).catch(this.#onFault);
  }

  #begin(guid: string, suggestedFilename: string): RunningDownload {
    const name = this.names.reserve(suggestedFilename);
    const download = { name, isCanceling: false, ended: Promise.withResolvers<void>() };
    this.#running.set(guid, download);
    this.#timer ??= every(MEASURE_INTERVAL_MS, () => this.#measure(), this.#onFault);
    return download;
  }

  async #measure(): Promise<void> {
    if (await this.#size.isExceeded())
      await Promise.all([...this.#running.keys()].map((guid) => this.#cancel(guid)));
  }

  async #end({ method, params = {} }: CdpMessage, guid: string): Promise<void> {
    const download = this.#running.get(guid);
    if (!download) return;
    const isCompleted = fieldsOf(params).state === 'completed';
    try {
      let isStored = true;
      const keeping = isCompleted ? this.#keep(guid, download) : undefined;
      const name = await keeping?.catch((error: unknown) => {
        isStored = false;
        this.#onFault(error);
        return undefined;
      });
      if (name === undefined) {
        this.names.release(download.name);
        this.#emit({ method, params: { ...params, state: 'canceled' } });
      } else this.#emit({ method, params: { ...params, filePath: join(DOWNLOADS_PATH, name) } });
      if (name === undefined && (isCompleted || download.isCanceling))
        this.#report(download.name, isStored ? NO_ROOM : NOT_STORED);
    } finally {
      this.#running.delete(guid);
      download.ended.resolve();
      if (this.#running.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  /**
   * Moves the file of a download to its name.
   * @returns the name; `undefined` if there is no room for it, as a small or quick download may be complete
   *   before it was measured
   */
  async #keep(guid: string, download: RunningDownload): Promise<string | undefined> {
    const { downloads, incoming, artifacts } = this.#options.directory;
    const file = join(incoming, guid);
    if (await this.isFull()) {
      await rm(file, { force: true });
      return undefined;
    }
    // Code may have written a file of that name meanwhile.
    const isTaken = await lstat(join(downloads, download.name)).then(Boolean, () => false);
    const name = isTaken ? this.names.reserve(download.name) : download.name;
    try {
      await rename(file, join(downloads, name));
    } catch (error) {
      this.names.release(name);
      await rm(file, { force: true });
      throw error;
    }
    // Code may have put something else there, which is no fault of the download.
    await symlink(join(DOWNLOADS_PATH, name), join(artifacts, guid)).catch(() => undefined);
    return name;
  }

  /** Cancels a download. Its end is an event. */
  async #cancel(guid: string): Promise<void> {
    const download = this.#running.get(guid);
    if (!download || download.isCanceling) return;
    download.isCanceling = true;
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

  #emit(event: CdpMessage): void {
    for (const listener of this.#listeners) listener(event);
  }

  #report(name: string, reason: string): void {
    const download = { name, reason };
    this.#canceled.push(download);
    if (this.#canceled.length > MAX_CANCELED) this.#canceled.shift();
    this.#options.onCanceled(download);
  }
}

/** A page tells the beginning of its download too, and may do so first. */
const DOWNLOAD_EVENTS = new Set([
  'Page.downloadWillBegin',
  'Browser.downloadWillBegin',
  'Browser.downloadProgress',
]);
