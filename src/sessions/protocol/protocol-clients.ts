import type { WebSocket } from 'ws';
import type { CdpConnection } from '../../fetch/browser/chromium/cdp.ts';
import { GOING_AWAY_CODE } from '../../schemas/live-view.ts';
import { SESSION_END_SENTENCES, type SessionEndReason } from '../../schemas/session-end.ts';
import { allowDownloads } from '../browser/session-browser.ts';
import { ClientSocket } from './client-socket.ts';
import type { HiddenTab } from './hidden-tab.ts';
import { ProtocolClient, type ProtocolClientOptions, type SharedBrowser } from './protocol-client.ts';

/**
 * More clients than this are refused, those of code included: each has a browser session and its own buffers.
 */
export const MAX_CLIENTS = 32;
/**
 * When more bytes wait for all clients of a session together, the one for which most wait is disconnected. It
 * may read them for half a minute, unless twice as many wait.
 */
const MAX_WAITING_BYTES = 512 * 1024 * 1024;

/**
 * Close codes for protocol clients of a session that has ended: those for applications (RFC 6455), by kind of
 * end.
 */
const CLOSE_CODES: Record<SessionEndReason, number> = {
  ttl: 4408,
  idle: 4408,
  deleted: 4410,
  // As HTTP 402.
  credits: 4402,
  crashed: 4500,
  // As HTTP 413.
  memory: 4413,
  disk: 4413,
  failed: 4500,
  lost: 4500,
  // Going away: the client may connect to a new session.
  shutdown: GOING_AWAY_CODE,
};

/** The clients of the DevTools protocol on the browser of one session. */
export class ProtocolClients {
  readonly #browser;
  readonly #clients = new Set<ClientSocket>();

  constructor(
    connection: CdpConnection,
    { downloads, files, onCommand }: Pick<SharedBrowser, 'downloads' | 'files' | 'onCommand'>,
  ) {
    this.#browser = {
      connection,
      downloads,
      files,
      ...(onCommand && { onCommand }),
      // It is opened by sessions that save a profile.
      hiddenTab: undefined as HiddenTab | undefined,
      allowDownloads(browserContextId: string) {
        // The client may have disposed of the context already.
        allowDownloads(connection, browserContextId).catch(() => undefined);
      },
      onSending: () => this.#limitWaiting(),
    };
  }

  /** How many clients are connected. */
  get size(): number {
    return this.#clients.size;
  }

  /** Whether another client may connect. */
  get hasRoom(): boolean {
    return this.#clients.size < MAX_CLIENTS;
  }

  /** Hides a tab from all clients that connect from now on. */
  hide(tab: HiddenTab): void {
    this.#browser.hiddenTab = tab;
  }

  /** Serves a client until it disconnects. Its handshake is only accepted while {@link hasRoom}. */
  connect(socket: WebSocket, options: ProtocolClientOptions): void {
    const output = this.connectUncounted(socket, options);
    this.#clients.add(output);
    socket.once('close', () => this.#clients.delete(output));
  }

  /** Serves a client of the host itself, which neither counts as a client nor is closed with them. */
  connectUncounted(socket: WebSocket, options: ProtocolClientOptions): ClientSocket {
    const output = new ClientSocket(socket, options.onSent);
    void new ProtocolClient(this.#browser, { socket, output, ...options }).run();
    return output;
  }

  /** Disconnects all clients, and tells them why the session has ended. */
  close(reason: SessionEndReason): void {
    const text = `${reason}: ${SESSION_END_SENTENCES[reason]}`;
    for (const client of this.#clients) client.close(CLOSE_CODES[reason], text);
  }

  #limitWaiting(): void {
    let waiting = 0;
    let slowest: ClientSocket | undefined;
    for (const client of this.#clients) {
      waiting += client.waitingBytes;
      if (client.waitingBytes > (slowest?.waitingBytes ?? 0)) slowest = client;
    }
    if (waiting > 2 * MAX_WAITING_BYTES) slowest?.terminate();
    else if (waiting > MAX_WAITING_BYTES) slowest?.closeUnread();
  }
}
