import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/errors.ts';
import type { Random } from '../site/random.ts';
import type { Findings } from './findings.ts';

/** A client that expects any request to fail. */
export interface Client {
  /** Sends a request once, to any API. @returns the body; `undefined` without a response or for 503 */
  try(path: string, init?: Ask): Promise<unknown>;
  /** Repeats a request until there is a response. */
  ask(path: string, init?: Ask): Promise<unknown>;
}

/** A request: a GET, or a POST if it has a body. */
interface Ask {
  body?: unknown;
  headers?: Record<string, string>;
}

/** The APIs to use, and the receiver of wrong responses. */
export interface ClientOptions {
  urls: string[];
  key: string;
  random: Random;
  findings: Findings;
  /** Aborts all requests and waits. */
  signal: AbortSignal;
}

const AGAIN_MS = 300;
/** Timeout of a request. A response at the end of a list is held back for up to 20 seconds. */
const ANSWER_WITHIN_MS = 60_000;

/** Opens a client. While processes are killed, requests may fail or get 503; any other error is a finding. */
export function openClient({ urls, key, random, findings, signal }: ClientOptions): Client {
  async function request(path: string, { body, headers }: Ask): Promise<Response> {
    const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
    try {
      return await fetch(new URL(path, random.pick(urls)), {
        method: body === undefined ? 'GET' : 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, late]),
      });
    } catch (error) {
      if (late.aborted) findings.wrong(`${path}: no answer within ${ANSWER_WITHIN_MS / 1000} s`);
      throw error;
    }
  }

  const client: Client = {
    async try(path, init = {}) {
      findings.count('requests');
      try {
        const response = await request(path, init);
        const text = await response.text();
        if (response.ok) return JSON.parse(text);
        if (response.status !== 503) findings.wrong(`${path}: HTTP ${response.status} ${text.slice(0, 300)}`);
      } catch (error) {
        signal.throwIfAborted();
        // A truncated response counts as none. A complete one that is not JSON is wrong.
        if (error instanceof SyntaxError) findings.wrong(`${path}: ${messageOf(error)}`);
      }
      findings.count('requests without an answer');
      return undefined;
    },
    async ask(path, init) {
      for (;;) {
        const answer = await client.try(path, init);
        if (answer !== undefined) return answer;
        await sleep(AGAIN_MS, undefined, { signal });
      }
    },
  };
  return client;
}
