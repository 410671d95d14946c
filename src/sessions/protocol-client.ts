import type { WebSocket } from 'ws';
import type { CdpConnection, CdpMessage } from '../browser/chromium/cdp.ts';
import { messageOf } from '../errors.ts';
import { fieldsOf } from '../json-object.ts';
import { filterCommand, type ProtocolCommand } from './protocol-filter.ts';

/** Maximum size of a message in bytes, which screenshots and uploads need. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
/** A client that does not read what it is sent is disconnected at this many bytes. */
const MAX_BUFFERED_BYTES = 2 * MAX_MESSAGE_BYTES;

/** WebSocket close codes (RFC 6455). */
const NORMAL_CLOSURE = 1000;
const UNSUPPORTED_DATA = 1003;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

/** The JSON-RPC codes that Chromium uses for its own errors, and for what is not a command. */
const SERVER_ERROR = -32_000;
const INVALID_REQUEST = -32_600;

/** A client of the DevTools protocol, connected to the browser of a session. */
export interface ProtocolClient {
  /** Disconnects the client. The browser and its pages stay. */
  close(code: number, reason: string): void;
}

/**
 * Connects a WebSocket client, such as Playwright, Puppeteer or agent-browser, to a browser. Each client has a browser
 * session of its own over the one pipe (`Target.attachToBrowserTarget`), so that clients do not see each other's
 * responses, and what one of them attached to is detached with it.
 * @param options.onActivity called for every message of the client
 */
export function connectProtocolClient(
  connection: CdpConnection,
  socket: WebSocket,
  options: { onActivity(): void },
): ProtocolClient {
  const client = new Client(connection, socket, options.onActivity);
  void client.run();
  return client;
}

class Client implements ProtocolClient {
  readonly #connection: CdpConnection;
  readonly #socket: WebSocket;
  readonly #onActivity: () => void;
  /** The sessions of this client: its browser session, and those of targets that it attached to. */
  readonly #sessions = new Set<string>();
  /** The browser session, which the client does not know by an id. */
  #root = '';

  constructor(connection: CdpConnection, socket: WebSocket, onActivity: () => void) {
    this.#connection = connection;
    this.#socket = socket;
    this.#onActivity = onActivity;
  }

  /** Serves the client until it disconnects. */
  async run(): Promise<void> {
    const waiting: ProtocolCommand[] = [];
    let receive = (message: ProtocolCommand): void => {
      waiting.push(message);
    };
    this.#socket.on('message', (data, isBinary) => {
      this.#onActivity();
      const message = isBinary ? undefined : parseMessage(String(data));
      if (!message) this.close(UNSUPPORTED_DATA, 'a message is not a JSON object');
      else if (isCommand(message)) receive(message);
      else this.#reject(message);
    });
    // A frame that violates the protocol of WebSockets: `close` follows.
    this.#socket.on('error', () => this.#socket.terminate());
    const stopEvents = this.#connection.onEvent((event) => this.#deliver(event));
    this.#socket.once('close', () => {
      stopEvents();
      // The browser may have ended, which ends its sessions.
      this.#detach().catch(() => undefined);
    });
    void this.#connection.closed.then(() => this.close(INTERNAL_ERROR, 'the browser has ended'));
    try {
      const { sessionId } = await this.#connection.browser.send('Target.attachToBrowserTarget');
      this.#root = sessionId;
      this.#register(sessionId);
    } catch (error) {
      this.close(INTERNAL_ERROR, `the browser did not respond: ${messageOf(error)}`.slice(0, 120));
      return;
    }
    if (this.#socket.readyState !== this.#socket.OPEN) return this.#detach();
    receive = (message) => this.#handle(message);
    for (const message of waiting) receive(message);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  async #detach(): Promise<void> {
    if (this.#root) await this.#connection.browser.send('Target.detachFromTarget', { sessionId: this.#root });
  }

  #register(sessionId: string): void {
    this.#sessions.add(sessionId);
    // The connection forwards commands only to sessions that it knows.
    this.#connection.session(sessionId);
  }

  #handle(message: ProtocolCommand): void {
    if (message.sessionId && !this.#sessions.has(message.sessionId)) {
      this.#refuse(message, 'Session with given id not found.');
      return;
    }
    const filtered = filterCommand(message);
    if (filtered === 'detach') {
      this.#respond(message, { result: {} });
      this.close(NORMAL_CLOSURE, 'detached: the session continues until it is deleted or its time is over');
    } else if ('refuse' in filtered) this.#refuse(message, filtered.refuse);
    else this.#forward(filtered.forward);
  }

  #forward(message: ProtocolCommand): void {
    const { method, params, sessionId } = message;
    try {
      this.#connection.forward(
        { method, ...(params && { params }), sessionId: sessionId || this.#root },
        {
          resolve: ({ result = {}, error }) => {
            const { sessionId: attached } = fieldsOf(result);
            if (method.startsWith('Target.attachTo') && typeof attached === 'string')
              this.#register(attached);
            this.#respond(message, error ? { error } : { result });
          },
          reject: (error) => this.#refuse(message, error.message),
        },
      );
    } catch (error) {
      // JSON can be parsed at any depth, but is written recursively.
      if (!(error instanceof RangeError)) throw error;
      this.#refuse(message, `${method} was not sent: its parameters are nested too deeply`);
    }
  }

  /** Responds to a message that is no command, under its id if it has one. */
  #reject(message: object): void {
    const { id } = fieldsOf(message);
    this.#send({
      ...(Number.isSafeInteger(id) && { id: Number(id) }),
      error: { code: INVALID_REQUEST, message: COMMAND_SHAPE },
    });
  }

  #respond({ id, sessionId }: ProtocolCommand, response: Pick<CdpMessage, 'result' | 'error'>): void {
    this.#send({ id, ...(sessionId && { sessionId }), ...response });
  }

  #refuse(message: ProtocolCommand, reason: string): void {
    this.#respond(message, { error: { code: SERVER_ERROR, message: reason } });
  }

  #deliver(event: CdpMessage): void {
    if (!event.sessionId || !this.#sessions.has(event.sessionId)) return;
    const { sessionId: subject } = fieldsOf(event.params);
    if (event.method === 'Target.attachedToTarget') this.#register(String(subject));
    if (event.method === 'Target.detachedFromTarget') this.#sessions.delete(String(subject));
    const { sessionId, ...rest } = event;
    this.#send(sessionId === this.#root ? rest : event);
  }

  #send(message: CdpMessage): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES)
      this.close(TRY_AGAIN_LATER, 'the client does not read its messages');
    else this.#socket.send(JSON.stringify(message));
  }
}

const COMMAND_SHAPE =
  "A command must have an integer 'id' and a string 'method'; 'params' is an object and 'sessionId' a string";

function isCommand(message: object): message is ProtocolCommand {
  const { id, method, params, sessionId } = fieldsOf(message);
  return (
    Number.isSafeInteger(id) &&
    typeof method === 'string' &&
    (params === undefined || typeof params === 'object') &&
    (sessionId === undefined || sessionId === null || typeof sessionId === 'string')
  );
}

function parseMessage(text: string): object | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return message !== null && typeof message === 'object' ? message : undefined;
  } catch {
    // Only a client that does not speak the protocol sends anything else.
    return undefined;
  }
}
