import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { BegunScrape, ScrapeToBegin } from '../../api/http/route.ts';

/** Workers give a sign of life every three seconds. */
const SILENCE_MS = 10_000;

/**
 * Creates the access to the worker of this machine that {@link serveScrapes} serves.
 * @param socketPath the path of its Unix socket
 * @param silenceMs milliseconds after which a worker that gives no sign of life counts as one that has not
 * begun
 * @returns a function that has the worker begin a stored scrape; it returns `undefined` if the worker does
 * not respond, and
 *   may have begun nevertheless
 */
export function createScrapeClient(socketPath: string, silenceMs = SILENCE_MS) {
  const agent = new Agent({ keepAlive: true });
  return (scrape: ScrapeToBegin): Promise<BegunScrape | undefined> =>
    new Promise((resolve) => {
      // Whatever the reason: the API then starts the workflow itself, which finds a worker that lives.
      const giveUp = () => resolve(undefined);
      const call = request({ socketPath, agent, timeout: silenceMs, method: 'POST' }, (response) => {
        buffer(response).then((document) => {
          if (response.statusCode === 200) return resolve({ document });
          resolve(response.statusCode === 202 ? {} : undefined);
        }, giveUp);
      });
      call.on('timeout', () => call.destroy());
      call.on('error', giveUp);
      call.end(JSON.stringify(scrape));
    });
}
