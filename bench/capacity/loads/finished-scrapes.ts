import { randomUUID } from 'node:crypto';
import { FinishedScrapes } from '../../../src/temporal/finished-scrapes.ts';
import { createBenchLogger, type Load, type SharedParts } from './load.ts';

/**
 * Records of scrapes that have ended, by two calls each, as an API or worker writes them after its response. An
 * operation is a scrape. Each simulated worker is the connection of one process, which has up to 16 under way.
 */
export function openFinishedScrapes({ temporalAddress, namespace }: SharedParts): Load {
  const opened: FinishedScrapes[] = [];
  return {
    async addWorker() {
      const options = {
        address: temporalAddress,
        security: undefined,
        namespace,
        logger: createBenchLogger(),
      };
      const scrapes = new FinishedScrapes(options);
      opened.push(scrapes);
      const teamId = randomUUID();
      return async () => {
        const jobId = randomUUID();
        const url = `https://site.example/articles/${jobId}/a-page-with-a-usual-address`;
        await scrapes.record({
          jobId,
          teamId,
          timeoutMs: 30_000,
          label: url,
          url,
          isQuick: true,
          ended: {
            blob: jobId,
            engine: 'http',
            statusCode: 200,
            fallbacks: [],
            ms: { queue: 1, fetch: 140, convert: 12, store: 9 },
          },
        });
        return 1;
      };
    },
    close: async () => {
      await Promise.all(opened.map((scrapes) => scrapes.close()));
    },
  };
}
