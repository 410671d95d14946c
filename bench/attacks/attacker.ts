import { setTimeout as sleep } from 'node:timers/promises';
import { isErrorCode } from '../../src/errors.ts';
import { fieldsOf, parseJson } from '../../src/json/json-object.ts';

/** A response of the API to an attacker. */
export interface Answer {
  status: number;
  /** The parsed JSON; `undefined` for a file. */
  body: unknown;
}

/** A request of an attacker. */
export interface AttackRequest {
  /** Values of the parameters in the path. */
  path?: Record<string, string>;
  /** Query of the URL, without the question mark. */
  query?: string;
  json?: unknown;
  /** A body in place of `json`. */
  raw?: string | Uint8Array<ArrayBuffer> | FormData;
  headers?: Record<string, string>;
}

/** A team and the service that it uses. */
export interface TeamAccess {
  url: string;
  key: string;
}

/** The surroundings of an attack: sites, the other team, ports, and limits. */
export interface Surroundings {
  /** Origin of the site with hostile pages. */
  site: string;
  /** A page of the other team that it has scraped, and the id of that scrape. */
  other: { page: string; scrapeId: string };
  /** Ports of the service on this machine. */
  ports: number[];
  /** The data directory of the service, for attacks by other users of the machine. */
  dataDir: string;
  /** A service with `WINNOW_AUTH=off`; absent if there is none, and then attacks on it do nothing. */
  openUrl?: string | undefined;
  /** The `timeout` of most requests, in milliseconds. */
  timeoutMs: number;
  /** The most lanes in which an attack repeats something. */
  maxLanes: number;
}

/** How long a response may take before it counts as none, in milliseconds. */
const LONGEST_MS = 150_000;
/** Pause after a request that the limits of the team refused, in milliseconds. */
const REFUSED_MS = 250;
const MAX_EXCERPT = 300;

/** Returns the text at a path of a parsed JSON value; an empty one if there is none. */
export function textAt(value: unknown, ...path: string[]): string {
  const found = path.reduce((at: unknown, name) => fieldsOf(at)[name], value);
  return typeof found === 'string' ? found : '';
}

/** Returns the entries of a list of a parsed JSON object; none if it is not a list. */
export function listAt(value: unknown, name: string): unknown[] {
  const found = fieldsOf(value)[name];
  return Array.isArray(found) ? found : [];
}

/**
 * Whether a connection had been used and was closed by the service before the request, as happens to clients that are
 * too busy to notice that a connection was idle for too long. Such requests may be sent again (RFC 9110, 9.2.2).
 */
function wasIdle(error: unknown): boolean {
  const { code, socket } = fieldsOf(fieldsOf(error).cause);
  // A large body is being written when the client notices it, which then has no error of its own.
  if (code === 'EPIPE') return true;
  return code === 'UND_ERR_SOCKET' && Number(fieldsOf(socket).bytesRead) > 0;
}

/** The code of an error of JSON-RPC that is the fault of the server (JSON-RPC 2.0, 5.1). */
const INTERNAL_ERROR = -32603;

/** Whether a response is an error of the Model Context Protocol that says what is wrong with the request. */
function isProtocolError(body: unknown): boolean {
  const { code } = fieldsOf(fieldsOf(body).error);
  return typeof code === 'number' && code !== INTERNAL_ERROR;
}

/** A team that uses the API as badly as its limits allow, and keeps account of what it got. */
export class Attacker {
  readonly #team: TeamAccess;
  readonly #deadline: AbortSignal;
  /** The sites, the other team, ports and limits of the attack. */
  readonly around: Surroundings;
  /** The operations that were called, as `METHOD /path/{parameter}`. */
  readonly called = new Set<string>();
  /** Number of responses by status. */
  readonly statuses = new Map<number, number>();
  /** Number of attempts to reach what is not the attacker's, and of those that the service has refused. */
  readonly attempts = { all: 0, held: 0 };
  /** Faults of the service: attempts that succeeded, requests without a response, unknown errors, and responses that are not JSON. */
  readonly strange: string[] = [];

  constructor(team: TeamAccess, around: Surroundings, deadline: AbortSignal) {
    this.#team = team;
    this.#deadline = deadline;
    this.around = around;
  }

  get origin(): string {
    return this.#team.url;
  }

  get key(): string {
    return this.#team.key;
  }

  get timeoutMs(): number {
    return this.around.timeoutMs;
  }

  get isOver(): boolean {
    return this.#deadline.aborted;
  }

  /** Waits, at most until the attack is over. */
  async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#deadline }).catch(() => undefined);
  }

  /** Repeats something in several lanes until the attack is over, and in each of them at least once. */
  async repeat(lanes: number, one: (turn: number) => Promise<unknown>): Promise<void> {
    let turn = 0;
    const lane = async () => {
      do await one(turn++);
      while (!this.isOver);
    };
    await Promise.all(Array.from({ length: Math.min(lanes, this.around.maxLanes) }, lane));
  }

  /** Counts an attempt. @param success what it would mean, which is a fault of the service unless it held */
  attempt(success: string, hasHeld: boolean): void {
    this.attempts.all += 1;
    if (hasHeld) this.attempts.held += 1;
    else this.strange.push(success);
  }

  /**
   * Calls an operation of the API and notes what is strange about the response.
   * @param operation such as `GET /v2/crawl/{id}`, as in the API reference
   */
  async call(operation: string, request: AttackRequest = {}): Promise<Answer> {
    this.called.add(operation);
    const [method = '', template = ''] = operation.split(' ');
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(request.path?.[name] ?? 'none'),
    );
    const query = request.query === undefined ? '' : `?${request.query}`;
    const body = request.raw ?? (request.json === undefined ? undefined : JSON.stringify(request.json));
    const isForm = body instanceof FormData;
    const send = () =>
      fetch(`${this.#team.url}${path}${query}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.#team.key}`,
          ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
          ...request.headers,
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(LONGEST_MS),
      });
    try {
      const response = await send().catch((error: unknown) => {
        if (wasIdle(error)) return send();
        throw error;
      });
      return await this.#read(operation, response);
    } catch (error) {
      // fetch() rejects with a TypeError for a connection that broke, and with a DOMException for one that
      // was silent.
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      this.strange.push(`${operation} got no response: ${String(error)}${cause}`);
      return { status: 0, body: undefined };
    }
  }

  async #read(operation: string, response: Response): Promise<Answer> {
    const { status } = response;
    const text = await response.text();
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const body = isJson ? parseJson(text) : undefined;
    const code = textAt(body, 'code');
    const isKnown = isErrorCode(code) ? code !== 'UNKNOWN_ERROR' : isProtocolError(body);
    if (status >= 400 && !isKnown)
      this.strange.push(`${operation} was answered by ${status} ${text.slice(0, MAX_EXCERPT)}`);
    if (status === 429) await this.rest(REFUSED_MS);
    return { status, body };
  }
}
