import type { CdpMessage } from '../../fetch/browser/chromium/cdp.ts';
import { fieldsOf } from '../../json/json-object.ts';
import type { BrowserDownloads } from '../downloads/browser-downloads.ts';
import { ARTIFACTS_PATH, DOWNLOADS_PATH } from '../session-paths.ts';
import type { ProtocolCommand } from './protocol-command.ts';

/** The downloads of the browser, as far as a client needs them. */
export type DownloadEvents = Pick<BrowserDownloads, 'onEvent' | 'nameOf' | 'guidWhere' | 'ended'>;

/** Options of {@link ClientDownloads}. */
interface ClientDownloadsOptions {
  downloads: DownloadEvents;
  /** Whether the client is code of the session, which sees its files. */
  isOfCode: boolean;
  send(event: CdpMessage): void;
}

/** What a client has said in one of its sessions about downloads. */
interface WantedBehavior {
  /** Whether it looks for files under the ids of their downloads. */
  isNamedById: boolean;
  /** Where it looks for them. */
  path: unknown;
  wantsEvents: boolean;
}

/**
 * The downloads that a client of the DevTools protocol hears of. The host alone sets what becomes of them.
 *
 * Playwright and agent-browser look for a file by the id of its download, in a directory of their own
 * machine. Code finds it there; other clients get an id that says where the file is, because the name of the
 * missing file is all that their errors tell.
 */
export class ClientDownloads {
  readonly #options: ClientDownloadsOptions;
  /** By the ids of the client's sessions; `undefined` is the one of the browser. */
  readonly #wanted = new Map<string | undefined, WantedBehavior>();
  readonly #stop: () => void;

  constructor(options: ClientDownloadsOptions) {
    this.#options = options;
    this.#stop = options.downloads.onEvent((event) => this.#deliver(event));
  }

  /** Ends the delivery of events. */
  close(): void {
    this.#stop();
  }

  /** Notes what a client says by `Browser.setDownloadBehavior`. */
  setBehavior({ params, sessionId }: ProtocolCommand): void {
    const { behavior, downloadPath, eventsEnabled } = fieldsOf(params);
    const known = this.#wanted.get(sessionId || undefined);
    this.#wanted.set(sessionId || undefined, {
      isNamedById: behavior === 'allowAndName',
      path: downloadPath,
      wantsEvents: eventsEnabled === true || known?.wantsEvents === true,
    });
  }

  /** Forgets a session that has ended. */
  detached(sessionId: string): void {
    this.#wanted.delete(sessionId);
  }

  /**
   * Delivers what a page tells of its download.
   * @returns whether the event is about a download; if it has ended, its file is awaited
   */
  deliverOfPage(event: CdpMessage): boolean {
    if (!event.method?.startsWith('Page.download')) return false;
    const { guid, state } = fieldsOf(event.params);
    const translated = this.#translate(event, event.sessionId);
    if (state === undefined || state === 'inProgress') this.#options.send(translated);
    else void this.#options.downloads.ended(String(guid)).then(() => this.#options.send(translated));
    return true;
  }

  /** Replaces the id that a client knows in `Browser.cancelDownload`. */
  withKnownGuid(command: ProtocolCommand): ProtocolCommand {
    const { guid: given } = fieldsOf(command.params);
    const guid = this.#options.downloads.guidWhere((name) => idsOf(name).includes(String(given)));
    return guid === undefined ? command : { ...command, params: { ...command.params, guid } };
  }

  #deliver(event: CdpMessage): void {
    for (const [sessionId, { wantsEvents }] of this.#wanted)
      if (wantsEvents)
        this.#options.send({ ...this.#translate(event, sessionId), ...(sessionId && { sessionId }) });
  }

  #translate(event: CdpMessage, sessionId: string | undefined): CdpMessage {
    const { guid } = fieldsOf(event.params);
    const name = this.#options.downloads.nameOf(String(guid));
    const wanted = this.#wanted.get(sessionId);
    if (name === undefined || !wanted?.isNamedById) return event;
    const { isOfCode } = this.#options;
    // There is a link of this name.
    if (isOfCode && wanted.path === ARTIFACTS_PATH) return event;
    // agent-browser says it for a page. It appends the id to its path, which an absolute path replaces, and
    // then renames the file.
    const id = !isOfCode ? remoteId(name) : sessionId ? pathOf(name) : localId(name);
    return { ...event, params: { ...event.params, guid: id } };
  }
}

const pathOf = (name: string) => `${DOWNLOADS_PATH}/${name}`;

/**
 * Ids that no file can have. Node refuses such a path with an error that shows it, while a stream from a file
 * that is only missing ends without one in Playwright. What the error has to say comes first, because Node
 * shows 128 characters.
 */
const remoteId = (name: string) =>
  `\0 is in the session: GET /v2/browser/{id}/downloads/${encodeURIComponent(name)}`;
const localId = (name: string) => `\0 is at ${pathOf(name)}`;

/** All ids that a client may know a download by. */
const idsOf = (name: string) => [remoteId(name), localId(name), pathOf(name)];
