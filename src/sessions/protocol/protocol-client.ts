import type { WebSocket } from 'ws';
import { messageOf } from '../../errors.ts';
import { type CdpConnection, type CdpMessage, SERVER_ERROR } from '../../fetch/browser/chromium/cdp.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { withOwnAttachment, withOwnAttachments } from './client-attachments.ts';
import { ClientDownloads, type DownloadEvents } from './client-downloads.ts';
import { ClientFileReader, type SessionFiles, withSessionFiles } from './client-files.ts';
import { ClientInput } from './client-input.ts';
import type { ClientSocket } from './client-socket.ts';
import type { HiddenTab } from './hidden-tab.ts';
import { NewTargets } from './new-targets.ts';
import type { ProtocolCommand } from './protocol-command.ts';
import { filterCommand } from './protocol-filter.ts';

/**
 * Commands that wait for a response. A page that hangs responds to none, and each takes memory in Chromium
 * and here.
 */
const MAX_PENDING_COMMANDS = 10_000;
/** No further command is read from clients while Chromium has not read this many bytes of earlier ones. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;

/** WebSocket close codes (RFC 6455). */
const NORMAL_CLOSURE = 1000;
const INTERNAL_ERROR = 1011;

/** The state that all clients of one browser share. */
export interface SharedBrowser {
  connection: CdpConnection;
  /** The tab that no client sees. */
  hiddenTab: HiddenTab | undefined;
  downloads: DownloadEvents;
  files: SessionFiles;
  /** Lets pages of a browser context store downloads in the directory of the session. */
  allowDownloads(browserContextId: string): void;
  /** Called with each command that a client may send to the browser. */
  onCommand?(command: ProtocolCommand): void;
  /** Called before a client is sent something, so that slow clients do not take all memory together. */
  onSending(): void;
}

/** How a client uses the browser. */
export interface ProtocolClientOptions {
  /** Called for every message of the client, with its size. */
  onActivity(bytes: number): void;
  /** Called for every message that is sent to the client, with its size. */
  onSent?(bytes: number): void;
  /**
   * Called when the client disconnects before all of its commands have a response: a tab may wait for a site.
   * @param targetIds where the commands were sent
   */
  onLeftWaiting?(targetIds: string[]): void;
  /** Whether the client is code of the session, which sees its files. */
  isOfCode?: boolean;
  /** The tab that the client uses; absent for a client of the whole browser. */
  targetId?: string | undefined;
  /** Whether the client gets the hidden tab instead of a new one, and returns it instead of closing it. */
  usesHiddenTab?: boolean;
}

/**
 * A WebSocket client, such as Playwright, Puppeteer or agent-browser, on the browser of a session. Each
 * client has a browser session of its own over the one pipe (`Target.attachToBrowserTarget`), so that clients
 * do not see each other's responses, and what one of them attached to is detached with it.
 */
export class ProtocolClient {
  readonly #browser: SharedBrowser;
  readonly #connection: CdpConnection;
  readonly #newTargets: NewTargets;
  readonly #socket: WebSocket;
  readonly #output: ClientSocket;
  #input: ClientInput | undefined;
  readonly #options: ProtocolClientOptions;
  /**
   * The sessions of this client with the ids of their targets: those that it attached to, and its browser
   * session, without one.
   */
  readonly #sessions = new Map<string, string | undefined>();
  /** The browser session, which the client does not know by an id. */
  #root = '';
  readonly #downloads: ClientDownloads;
  readonly #fileReader: ClientFileReader;
  /** The commands that have no response yet. */
  readonly #pending = new Set<ProtocolCommand>();
  /** The session by which the client uses the hidden tab now. */
  #hiddenTabSession: string | undefined;
  #isOpeningHiddenTab = false;

  /** @param output the same socket, for what is sent */
  constructor(
    browser: SharedBrowser,
    { socket, output, ...options }: ProtocolClientOptions & { socket: WebSocket; output: ClientSocket },
  ) {
    this.#browser = browser;
    this.#output = output;
    this.#connection = browser.connection;
    this.#newTargets = NewTargets.of(browser.connection);
    this.#socket = socket;
    this.#options = options;
    this.#fileReader = new ClientFileReader(browser.files);
    this.#downloads = new ClientDownloads({
      downloads: browser.downloads,
      isOfCode: options.isOfCode === true,
      send: (event) => this.#send(event),
    });
  }

  /** Serves the client until it disconnects. */
  async run(): Promise<void> {
    const waiting: ProtocolCommand[] = [];
    let receive = (message: ProtocolCommand): void => {
      waiting.push(message);
    };
    this.#input = new ClientInput(this.#socket, {
      onActivity: (bytes) => this.#options.onActivity(bytes),
      onCommand: (command) => receive(command),
      onRefused: (response) => this.#send(response),
    });
    const stopEvents = this.#connection.onEvent((event) => this.#deliver(event));
    this.#socket.once('close', () => {
      stopEvents();
      this.#downloads.close();
      if (this.#pending.size > 0) this.#options.onLeftWaiting?.(this.#pendingTargets());
      for (const sessionId of this.#sessions.keys()) this.#newTargets.detached(sessionId);
      // The browser may have ended, which ends its sessions.
      this.#detach().catch(() => undefined);
    });
    void this.#connection.closed.then(() => this.#output.close(INTERNAL_ERROR, 'the browser has ended'));
    try {
      this.#root = await this.#attach();
    } catch (error) {
      this.#output.close(INTERNAL_ERROR, `the browser did not respond: ${messageOf(error)}`.slice(0, 120));
      return;
    }
    if (this.#socket.readyState !== this.#socket.OPEN) return this.#detach();
    receive = (message) => this.#handle(message);
    for (const message of waiting) receive(message);
  }

  /** Attaches to the browser, or to one tab. @returns the id of the session */
  async #attach(): Promise<string> {
    const { browser } = this.#connection;
    const { targetId } = this.#options;
    if (this.#browser.hiddenTab?.has(targetId)) throw new Error(NO_TARGET);
    const { sessionId } =
      targetId === undefined
        ? await browser.send('Target.attachToBrowserTarget')
        : await browser.send('Target.attachToTarget', { targetId, flatten: true });
    this.#register(sessionId, targetId);
    return sessionId;
  }

  async #detach(): Promise<void> {
    if (this.#root) await this.#connection.browser.send('Target.detachFromTarget', { sessionId: this.#root });
  }

  readonly #isAttached = (targetId: unknown): boolean =>
    typeof targetId === 'string' && [...this.#sessions.values()].includes(targetId);

  #pendingTargets(): string[] {
    return [...this.#pending].flatMap(({ sessionId }) => this.#sessions.get(sessionId ?? '') ?? []);
  }

  /** @param targetId absent for the session of the browser */
  #register(sessionId: string, targetId?: string): void {
    this.#sessions.set(sessionId, targetId);
    // The connection forwards commands only to sessions that it knows.
    this.#connection.session(sessionId);
  }

  #handle(message: ProtocolCommand): void {
    if (message.sessionId && !this.#sessions.has(message.sessionId)) {
      this.#refuse(message, 'Session with given id not found.');
      return;
    }
    const { hiddenTab } = this.#browser;
    if (hiddenTab?.isSubjectOf(message) && !this.#hiddenTabSession) {
      this.#refuse(message, NO_TARGET);
      return;
    }
    if (this.#pending.size >= MAX_PENDING_COMMANDS) {
      this.#refuse(message, `${MAX_PENDING_COMMANDS} earlier commands have no response yet: wait for them`);
      return;
    }
    if (this.#options.usesHiddenTab && hiddenTab && message.method === 'Target.createTarget') {
      this.#openHiddenTab(message, hiddenTab);
      return;
    }
    if (this.#options.usesHiddenTab && message.method === 'Target.closeTarget') {
      this.#leaveHiddenTab(message);
      return;
    }
    if (message.method === 'Runtime.runIfWaitingForDebugger' && message.sessionId) {
      this.#newTargets.resume(message.sessionId);
      this.#respond(message, { result: {} });
      return;
    }
    if (message.method === 'Browser.setDownloadBehavior') this.#downloads.setBehavior(message);
    if (this.#fileReader.isFor(message)) void this.#readFile(message);
    else this.#filter(message);
  }

  /** Performs what clients may ask for. */
  #filter(message: ProtocolCommand): void {
    const command = this.#translate(message);
    const filtered = 'refuse' in command ? command : filterCommand(command);
    if (filtered === 'detach') {
      this.#respond(message, { result: {} });
      this.#output.close(
        NORMAL_CLOSURE,
        'detached: the session continues until it is deleted or its time is over',
      );
    } else if ('refuse' in filtered) this.#refuse(message, filtered.refuse);
    else if ('respond' in filtered) this.#respond(message, { result: filtered.respond });
    else {
      this.#browser.onCommand?.(filtered.forward);
      this.#forward(filtered.forward, (result) => this.#receive(message, result));
    }
  }

  /** Replaces what a client names otherwise than the browser does: files, and downloads. */
  #translate(message: ProtocolCommand): ProtocolCommand | { refuse: string } {
    if (message.method === 'Browser.cancelDownload') return this.#downloads.withKnownGuid(message);
    return withSessionFiles(message, this.#browser.files);
  }

  async #readFile(message: ProtocolCommand): Promise<void> {
    const reading = this.#fileReader.perform(message);
    void this.#input?.pauseUntil(reading.catch(() => undefined));
    await reading.then(
      (result) => this.#respond(message, { result }),
      (error: unknown) => this.#refuse(message, messageOf(error)),
    );
  }

  /** Sends a command to the browser. @param onResult called with its result, unless it failed */
  #forward(message: ProtocolCommand, onResult: (result: object) => void): void {
    const { method, params, sessionId } = message;
    this.#pending.add(message);
    try {
      this.#connection.forward(
        { method, ...(params && { params }), sessionId: sessionId || this.#root },
        {
          resolve: ({ result = {}, error }) => {
            this.#pending.delete(message);
            if (error) this.#respond(message, { error });
            else onResult(result);
          },
          reject: (error) => {
            this.#pending.delete(message);
            this.#refuse(message, error.message);
          },
        },
      );
    } catch (error) {
      // JSON can be parsed at any depth, but is written recursively.
      if (!(error instanceof RangeError)) throw error;
      this.#pending.delete(message);
      this.#refuse(message, `${method} was not sent: its parameters are nested too deeply`);
    }
    if (this.#connection.unreadBytes > MAX_UNREAD_BYTES)
      void this.#input?.pauseUntil(this.#connection.whenRead());
  }

  #receive(message: ProtocolCommand, result: object): void {
    const { method } = message;
    const { sessionId, browserContextId } = fieldsOf(result);
    if (method.startsWith('Target.attachTo') && typeof sessionId === 'string')
      this.#register(sessionId, targetOf(message));
    if (method === 'Target.createBrowserContext' && typeof browserContextId === 'string')
      this.#browser.allowDownloads(browserContextId);
    const { hiddenTab } = this.#browser;
    if (method === 'Target.getTargets' || method === 'Target.getTargetInfo') {
      const visible = hiddenTab?.removeFrom(result) ?? result;
      this.#respond(message, { result: withOwnAttachments(visible, this.#isAttached) });
    } else this.#respond(message, { result });
  }

  #openHiddenTab(message: ProtocolCommand, { targetId }: HiddenTab): void {
    this.#isOpeningHiddenTab = true;
    const attach = { ...message, method: 'Target.attachToTarget', params: { targetId, flatten: true } };
    this.#forward(attach, (result) => {
      this.#isOpeningHiddenTab = false;
      this.#hiddenTabSession = String(fieldsOf(result).sessionId);
      this.#register(this.#hiddenTabSession, targetId);
      this.#respond(message, { result: { targetId } });
    });
  }

  #leaveHiddenTab(message: ProtocolCommand): void {
    const sessionId = this.#hiddenTabSession;
    this.#hiddenTabSession = undefined;
    if (!sessionId) {
      this.#refuse(message, NO_TARGET);
      return;
    }
    // The next site is loaded into an empty page. The response is of no interest, because the next command
    // waits for it.
    this.#connection
      .session(sessionId)
      .send('Page.navigate', { url: 'about:blank' })
      .catch(() => undefined);
    const detach = { ...message, method: 'Target.detachFromTarget', params: { sessionId } };
    this.#forward(detach, () => this.#respond(message, { result: { success: true } }));
  }

  #respond({ id, sessionId }: ProtocolCommand, response: Pick<CdpMessage, 'result' | 'error'>): void {
    this.#send({ id, ...(sessionId && { sessionId }), ...response });
  }

  #refuse(message: ProtocolCommand, reason: string): void {
    this.#respond(message, { error: { code: SERVER_ERROR, message: reason } });
  }

  #deliver(event: CdpMessage): void {
    if (!event.sessionId || !this.#sessions.has(event.sessionId) || this.#isHidden(event)) return;
    if (event.method === 'Target.attachedToTarget') this.#noticeAttached(event);
    if (event.method === 'Target.detachedFromTarget') {
      const ended = String(fieldsOf(event.params).sessionId);
      this.#sessions.delete(ended);
      this.#downloads.detached(ended);
      this.#newTargets.detached(ended);
    }
    if (this.#downloads.deliverOfPage(event)) return;
    const { sessionId, ...rest } = event;
    this.#send(withOwnAttachment(sessionId === this.#root ? rest : event, this.#isAttached));
  }

  #noticeAttached({ params }: CdpMessage): void {
    const { sessionId, waitingForDebugger, targetInfo } = fieldsOf(params);
    const { targetId, url } = fieldsOf(targetInfo);
    this.#register(String(sessionId), String(targetId));
    // With `waitForDebuggerOnStart: false`, Chromium 156 pauses popups all the same, and the page that opens
    // one hangs. A new popup has no URL yet. Other pages must not be resumed, because that resumes the popups
    // that they open.
    const isPausedPopup = waitingForDebugger === false && url === '';
    if (waitingForDebugger === true || isPausedPopup)
      this.#newTargets.attached(String(targetId), String(sessionId), this);
    if (isPausedPopup) this.#newTargets.resume(String(sessionId));
  }

  /**
   * Whether an event is about the hidden tab. A session by which Chromium attached this client to it is
   * detached.
   */
  #isHidden(event: CdpMessage): boolean {
    const { method, sessionId } = event;
    const subject = String(fieldsOf(event.params).sessionId);
    if (method === 'Target.detachedFromTarget') return !this.#sessions.has(subject);
    if (this.#hiddenTabSession || this.#isOpeningHiddenTab || !this.#browser.hiddenTab?.isSubjectOf(event))
      return false;
    if (method === 'Target.attachedToTarget' && sessionId) {
      this.#newTargets.resume(subject);
      this.#connection
        .session(sessionId)
        .send('Target.detachFromTarget', { sessionId: subject })
        // The client may have disconnected, which detaches it too.
        .catch(() => undefined);
    }
    return true;
  }

  #send(message: CdpMessage): void {
    this.#browser.onSending();
    this.#output.send(message);
  }
}

/** The target that a command names. */
function targetOf({ params }: ProtocolCommand): string | undefined {
  const { targetId } = fieldsOf(params);
  return typeof targetId === 'string' ? targetId : undefined;
}

/** As Chromium says it. */
const NO_TARGET = 'No target with given id found';
