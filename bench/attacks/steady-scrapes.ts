import { setTimeout as sleep } from 'node:timers/promises';
import { type TeamAccess, textAt } from './attacker.ts';

/**
 * Pause between the beginnings of two scrapes of the other team, whether or not the first one has ended, in
 * milliseconds.
 */
const BETWEEN_MS = 500;
/** How long a response to the other team may take before it counts as lost, in milliseconds. */
const LOST_MS = 150_000;

/** The text of each page of the other team. */
export const TEXT = 'The page of the team that is not at fault.';

/** The responses that a team got to its scrapes at a steady rate. */
export interface Scrapes {
  /** Milliseconds of each scrape with a result. */
  times: number[];
  /** Scrapes whose response was an error or another page. */
  errors: string[];
  /** Scrapes without a response. */
  lost: number;
}

/** Scrapes a page. @returns the parsed response, and its status */
export async function scrapePage(
  { url, key }: TeamAccess,
  page: string,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/v2/scrape`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: page, timeout: 100_000 }),
    signal: AbortSignal.timeout(LOST_MS),
  });
  return { status: response.status, body: await response.json() };
}

/** Scrapes pages at a steady rate until it is aborted, and waits for all responses. */
export async function scrapeSteadily(
  team: TeamAccess,
  nextPage: () => string,
  end: AbortSignal,
): Promise<Scrapes> {
  const result: Scrapes = { times: [], errors: [], lost: 0 };
  const running: Promise<void>[] = [];
  const one = async () => {
    const start = performance.now();
    try {
      const { status, body } = await scrapePage(team, nextPage());
      const isRight = textAt(body, 'data', 'markdown').includes(TEXT);
      if (status === 200 && isRight) result.times.push(performance.now() - start);
      else result.errors.push(`${status} ${JSON.stringify(body).slice(0, 300)}`);
    } catch (error) {
      result.lost++;
      result.errors.push(String(error));
    }
  };
  do {
    running.push(one());
    await sleep(BETWEEN_MS, undefined, { signal: end }).catch(() => undefined);
  } while (!end.aborted);
  await Promise.all(running);
  return result;
}
