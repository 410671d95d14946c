import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { BegunScrape, ScrapeToBegin } from '../api/http/route.ts';

/** Milliseconds after which a worker that does not respond counts as one that has not begun. */
const RESPONSE_TIMEOUT_MS = 5_000;

/**
 * Creates the access to the worker of this machine that {@link serveScrapes} serves.
 * @param socketPath the path of its Unix socket
 * @returns a function that has the worker begin a stored scrape; it returns `undefined` if the worker does not respond, and
 *   may have begun nevertheless
 */
export function createScrapeClient(socketPath: string) {
  const agent = new Agent({ keepAlive: true });
  return (scrape: ScrapeToBegin): Promise<BegunScrape | undefined> =>
    new Promise((resolve) => {
      const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
      // Whatever the reason: the API then starts the workflow itself, which finds a worker that lives.
      const giveUp = () => resolve(undefined);
      const call = request({ socketPath, agent, signal, method: 'POST' }, (response) => {
        buffer(response).then((document) => {
          if (response.statusCode === 200) return resolve({ document });
          resolve(response.statusCode === 202 ? {} : undefined);
        }, giveUp);
      });
      call.on('error', giveUp);
      call.end(JSON.stringify(scrape));
    });
}
