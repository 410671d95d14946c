import { basename } from 'node:path';
import type { CdpMessage } from '../../fetch/browser/chromium/cdp.ts';
import { fieldsOf } from '../../json/json-object.ts';
import type { DownloadSummary } from '../../schemas/live-view.ts';

/** Downloads that viewers see. */
const MAX_DOWNLOADS = 30;
const MAX_NAME_LENGTH = 255;
/** Viewers hear of progress no more often than this. */
const ANNOUNCE_INTERVAL_MS = 300;

/** The latest downloads of a session, for its viewers. */
export class DownloadShelf {
  /** By their ids, the oldest first. */
  readonly #downloads = new Map<string, DownloadSummary>();
  readonly #onChanged: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onChanged: () => void) {
    this.#onChanged = onChanged;
  }

  /** The latest downloads, the newest first. */
  all(): DownloadSummary[] {
    return [...this.#downloads.values()].reverse();
  }

  /**
   * Takes an event of `BrowserDownloads`.
   * @returns the download, if it has begun or ended
   */
  receive({ method, params }: CdpMessage): Pick<DownloadSummary, 'name' | 'state'> | undefined {
    const { guid, suggestedFilename, state, filePath, receivedBytes, totalBytes } = fieldsOf(params);
    if (typeof guid !== 'string') return undefined;
    if (method === 'Browser.downloadWillBegin') {
      const name = String(suggestedFilename).slice(0, MAX_NAME_LENGTH);
      this.#downloads.set(guid, { name, state: 'running', receivedBytes: 0, totalBytes: 0 });
      const [oldest] = this.#downloads.keys();
      if (this.#downloads.size > MAX_DOWNLOADS && oldest !== undefined) this.#downloads.delete(oldest);
    }
    const download = this.#downloads.get(guid);
    if (method === 'Browser.downloadProgress' && download) {
      download.receivedBytes = Number(receivedBytes) || 0;
      download.totalBytes = Number(totalBytes) || 0;
      if (state === 'completed') download.state = 'stored';
      if (state === 'canceled') download.state = 'canceled';
      // The name of the file is another one if code has taken it meanwhile.
      if (typeof filePath === 'string') download.name = basename(filePath).slice(0, MAX_NAME_LENGTH);
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#onChanged();
    }, ANNOUNCE_INTERVAL_MS);
    const hasChanged = method === 'Browser.downloadWillBegin' || state !== 'inProgress';
    return hasChanged && download ? { name: download.name, state: download.state } : undefined;
  }

  /** Announces nothing any more. */
  close(): void {
    clearTimeout(this.#timer);
  }
}
