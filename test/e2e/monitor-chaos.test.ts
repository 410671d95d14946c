import { expect, it } from 'vitest';
import { runMonitorChaos } from '../chaos/monitors/run.ts';
import { startEmbedded } from '../chaos/target.ts';
import { IS_FULL_RUN } from '../support/suite/corpus.ts';

/** The short form of `bench/chaos.ts --monitors`, on an instance of its own. */

const KILLS = IS_FULL_RUN ? 4 : 1;
const MONITORS = 3;

it('monitors check once each time, pay once and tell once while worker, API, Temporal and Postgres are killed', async () => {
  const target = await startEmbedded();
  const news: string[] = [];
  try {
    const report = await runMonitorChaos(target, {
      monitors: MONITORS,
      kills: KILLS,
      seed: 1,
      signal: new AbortController().signal,
      note: (text) => news.push(text),
    });
    expect(report.violations, news.join('\n')).toEqual([]);
    expect(report.kills).toEqual({ worker: KILLS, api: KILLS, temporal: KILLS, postgres: KILLS });
    // Each has been checked after the last kill, too.
    expect(report.counts['checks: completed']).toBeGreaterThanOrEqual(MONITORS);
  } finally {
    await target.stop({ keepData: false });
  }
}, 900_000);
