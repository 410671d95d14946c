import { Counter, type Registry } from 'prom-client';

/** The metrics of the pages that a process scrapes. */
export type ScrapeMetrics = ReturnType<typeof createScrapeMetrics>;

/** Creates the metrics of the pages that this process scrapes. */
export const createScrapeMetrics = (registry: Registry) => ({
  secondOpinions: new Counter({
    name: 'winnow_second_opinions_total',
    help: 'Pages of which `onlyMainContent` had dropped most of the running text, so that it was brought back',
    registers: [registry],
  }),
});
