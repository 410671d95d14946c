import { parentPort } from 'node:worker_threads';
import { startPages } from '../../test/support/sites/pages.ts';
import type { TeamAccess } from './attacker.ts';
import { scrapeSteadily, TEXT } from './steady-scrapes.ts';

/**
 * The main function of a thread that is the team which is not at fault: it serves the pages of that team, whose
 * origin it sends first, and scrapes them from a message with a team to the message `end`. Then it sends what
 * it saw.
 */

const pages = await startPages({ '/': `<title>Page</title><main><p>${TEXT}</p></main>` });
let next = 0;
let end = new AbortController();

async function scrape(team: TeamAccess): Promise<void> {
  end = new AbortController();
  parentPort?.postMessage(await scrapeSteadily(team, () => `${pages.url}/?${next++}`, end.signal));
}

parentPort?.on('message', (message: TeamAccess | 'end') => {
  if (message === 'end') end.abort();
  else void scrape(message);
});
parentPort?.postMessage(pages.url);
