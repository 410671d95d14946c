import type { CdpConnection, Session } from '../../fetch/browser/chromium/cdp.ts';
import type { FileChooserSummary } from '../../schemas/live-view.ts';

/** Callbacks of {@link FileChoosers}. */
export interface FileChooserListeners {
  onOpened(chooser: FileChooserSummary): void;
  onClosed(id: number): void;
}

/** A request of a page for files. */
interface OpenChooser {
  summary: FileChooserSummary;
  session: Session;
  backendNodeId: number;
}

/**
 * The fields for files that pages ask viewers about, one at a time. Without a viewer who could answer,
 * Chromium declines them.
 */
export class FileChoosers {
  readonly #connection: CdpConnection;
  readonly #listeners: FileChooserListeners;
  /** The tabs and their frames of other sites, which have targets of their own, each with its tab. */
  readonly #tabs = new Map<Session, Session>();
  #isIntercepting = false;
  #open: OpenChooser | undefined;
  #lastId = 0;

  constructor(connection: CdpConnection, listeners: FileChooserListeners) {
    this.#connection = connection;
    this.#listeners = listeners;
  }

  /** What a page asks for now. */
  get open(): FileChooserSummary | undefined {
    return this.#open?.summary;
  }

  /** Watches a tab and its frames. */
  watch(session: Session): void {
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined && this.#open?.session === session) this.#close();
    });
    this.#watch(session, session);
  }

  #watch(session: Session, tab: Session): void {
    this.#tabs.set(session, tab);
    session.on('Page.fileChooserOpened', ({ mode, backendNodeId }) => {
      if (backendNodeId === undefined || !this.#isIntercepting) return;
      this.#close();
      const summary = { id: ++this.#lastId, multiple: mode === 'selectMultiple' };
      this.#open = { summary, session, backendNodeId };
      this.#listeners.onOpened(summary);
    });
    const frames = new Map<string, Session>();
    session.on('Target.attachedToTarget', ({ sessionId }) => {
      const frame = this.#connection.session(sessionId);
      frames.set(sessionId, frame);
      this.#watch(frame, tab);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => {
      const frame = frames.get(sessionId);
      frames.delete(sessionId);
      if (frame) this.#forget(frame);
    });
    if (this.#isIntercepting) intercept(session, true);
  }

  /** Forgets a tab that has been closed, with its frames. */
  forget(tab: Session): void {
    for (const [session, of] of this.#tabs) if (of === tab) this.#forget(session);
  }

  #forget(session: Session): void {
    this.#tabs.delete(session);
    if (this.#open?.session === session) this.#close();
  }

  /** @param hasController whether there is a viewer who may choose files */
  setController(hasController: boolean): void {
    if (hasController === this.#isIntercepting) return;
    this.#isIntercepting = hasController;
    for (const session of this.#tabs.keys()) intercept(session, hasController);
    if (!hasController) this.#close();
  }

  /**
   * Gives the page what it has asked for, unless the request is closed.
   * @param paths where the browser finds the files; none to give it nothing
   */
  answer(id: number, paths: string[]): void {
    const chooser = this.#open;
    if (chooser?.summary.id !== id) return;
    this.#close();
    const { session, backendNodeId, summary } = chooser;
    const files = summary.multiple ? paths : paths.slice(0, 1);
    // The field may have been removed meanwhile.
    if (files.length) session.send('DOM.setFileInputFiles', { files, backendNodeId }).catch(() => undefined);
  }

  #close(): void {
    const closed = this.#open;
    this.#open = undefined;
    if (closed) this.#listeners.onClosed(closed.summary.id);
  }
}

/** Has a tab or frame report its requests for files, and those of its frames; the tab may have been closed. */
function intercept(session: Session, enabled: boolean): void {
  const frames = { autoAttach: enabled, waitForDebuggerOnStart: false, flatten: true, filter: FRAMES };
  const sent = [
    session.send('Page.enable'),
    session.send('Page.setInterceptFileChooserDialog', { enabled }),
    session.send('Target.setAutoAttach', frames),
  ];
  for (const each of sent) each.catch(() => undefined);
}

const FRAMES = [{ type: 'iframe' }];

/** Drops files on a page. A tab that is closed meanwhile gets none. @param files where the browser finds them */
export async function dropFiles(
  session: Session,
  { x, y, files }: { x: number; y: number; files: string[] },
): Promise<void> {
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x, y, data });
}
