import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/errors.ts';
import type { Random } from '../site/random.ts';
import type { Findings } from './findings.ts';

/** A client of the service that counts on nothing. */
export interface Client {
  /** Asks some API once. @returns the answer, `undefined` where there was none or 503 */
  try(path: string, init?: Ask): Promise<unknown>;
  /** Asks until there is an answer. */
  ask(path: string, init?: Ask): Promise<unknown>;
}

/** What is sent: a GET, or with a body a POST. */
interface Ask {
  body?: unknown;
  headers?: Record<string, string>;
}

/** Where the client asks, and who hears what it should not have been told. */
export interface ClientOptions {
  urls: string[];
  key: string;
  random: Random;
  findings: Findings;
  /** Ends every request and every wait. */
  signal: AbortSignal;
}

const AGAIN_MS = 300;
/** An answer at the end of a list is held back for twenty seconds. */
const ANSWER_WITHIN_MS = 60_000;

/** Opens a client. While parts are killed it may find nobody, or hear 503; any other error is a finding. */
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
        // Cut off in the middle it is no answer either; whole, but no JSON, it is a wrong one.
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
