import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type DirectResult, STATUS, type StartDirectly } from './protocol.ts';
import { SILENCE_MS } from './timeline.ts';

/**
 * Creates the access to the worker of this machine that {@link serveDirectStarts} serves.
 * @param socketPath the path of its Unix socket
 * @param silenceMs milliseconds after which a worker that gives no sign of life counts as one that has not
 * started
 */
export function createDirectStarts(socketPath: string, silenceMs = SILENCE_MS): StartDirectly {
  const agent = new Agent({ keepAlive: true });
  return (scrape) =>
    new Promise<DirectResult | undefined>((resolve) => {
      // Whatever the reason: the API then starts the workflow itself, which finds a worker that lives.
      const giveUp = () => resolve(undefined);
      const call = request({ socketPath, agent, timeout: silenceMs, method: 'POST' }, (response) => {
        buffer(response).then((document) => {
          if (response.statusCode === STATUS.document) return resolve({ document });
          resolve(response.statusCode === STATUS.workflow ? {} : undefined);
        }, giveUp);
      });
      call.on('timeout', () => call.destroy());
      call.on('error', giveUp);
      call.end(JSON.stringify(scrape));
    });
}
