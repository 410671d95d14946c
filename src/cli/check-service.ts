import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { messageOf } from '../errors.ts';
import { fieldsOf, parseJson } from '../json/json-object.ts';
import { findRunningInstance } from '../run/embedded/supervision/run-file.ts';

/** Milliseconds that a running service has to say how it is. Its own checks take up to five seconds. */
const TIMEOUT_MS = 10_000;

/** A part of a running service, and `ok` or why it does not respond. */
export interface PartState {
  part: string;
  state: string;
}

/**
 * Asks the service that runs how its parts are: the one that `WINNOW_URL` names, or that of the data directory.
 * @returns `undefined` if none runs
 */
export async function askService(config: Config): Promise<{ url: string; parts: PartState[] } | undefined> {
  const url = config.serviceUrl ?? findRunningInstance(resolve(config.dataDir))?.urls.api;
  if (url === undefined) return undefined;
  try {
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const parts = Object.entries(fieldsOf(fieldsOf(parseJson(await response.text())).parts));
    if (parts.length === 0)
      return { url, parts: [{ part: 'API', state: `GET /ready responded with HTTP ${response.status}` }] };
    return { url, parts: parts.map(([part, state]) => ({ part, state: String(state) })) };
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error;
    return { url, parts: [{ part: 'API', state: `does not respond: ${messageOf(cause)}` }] };
  }
}
