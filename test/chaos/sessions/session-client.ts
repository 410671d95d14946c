import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf } from '../../../src/json/json-object.ts';
import type { Findings } from '../findings.ts';

/** How a request ended: with a body, refused because something had died, or without a response. */
type Outcome = { body: Readonly<Record<string, unknown>> } | { refused: string } | undefined;

/** A request to the API. */
interface SessionRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
}

/** A client of browser sessions that expects any of them to end at any time. */
export interface SessionClient {
  /** Sends a request once. */
  try(path: string, request?: SessionRequest): Promise<Outcome>;
  /** Repeats a request until there is a response other than 503. */
  ask(path: string, request?: SessionRequest): Promise<Exclude<Outcome, undefined>>;
}

/** Longer than any request of a run may take: a host that died is noticed within 20 s. */
const RESPONSE_WITHIN_MS = 90_000;
const AGAIN_MS = 300;
/** What the API may say while processes die. */
const REFUSALS = new Set([
  'SESSION_DESTROYED',
  'SESSION_FAILED',
  'SESSION_LIMIT_REACHED',
  'WORKER_LOST',
  // The session that saves it is still open, or was lost less than half a minute ago.
  'PROFILE_LOCKED',
]);
/** What it may say while a part does not run. */
const UNAVAILABLE = new Set(['SERVICE_UNAVAILABLE', 'SESSIONS_UNAVAILABLE']);

/** Opens a client. Any error that has nothing to do with a death is a finding. */
export function openSessionClient(
  { url, key }: { url: string; key: string },
  findings: Findings,
  signal: AbortSignal,
): SessionClient {
  const client: SessionClient = {
    async try(path, { body, method = body === undefined ? 'GET' : 'POST', headers } = {}) {
      findings.count('requests');
      const late = AbortSignal.timeout(RESPONSE_WITHIN_MS);
      try {
        const response = await fetch(url + path, {
          method,
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          signal: AbortSignal.any([signal, late]),
        });
        const fields = fieldsOf(JSON.parse(await response.text()));
        if (response.ok) return { body: fields };
        const code = String(fields.code);
        if (UNAVAILABLE.has(code)) return undefined;
        if (!REFUSALS.has(code)) findings.wrong(`${method} ${path}: HTTP ${response.status} ${code}`);
        findings.count(`refused with ${code}`);
        return { refused: code };
      } catch {
        signal.throwIfAborted();
        if (late.aborted)
          findings.wrong(`${method} ${path}: no response within ${RESPONSE_WITHIN_MS / 1000} s`);
        findings.count('requests without a response');
        return undefined;
      }
    },
    async ask(path, request) {
      for (;;) {
        const outcome = await client.try(path, request);
        if (outcome) return outcome;
        await sleep(AGAIN_MS, undefined, { signal });
      }
    },
  };
  return client;
}
