import { describe, expect, it } from 'vitest';
import { runSessionChaos } from '../chaos/sessions/run.ts';
import { startEmbedded } from '../chaos/target.ts';
import { IS_FULL_RUN } from '../support/suite/corpus.ts';

/** The short form of `bench/chaos.ts --sessions`, on an instance of its own. */

const KILLS = 5;

describe.runIf(IS_FULL_RUN)('browser sessions whose processes are killed', () => {
  it('leave nothing behind, are billed once, and new ones work', async () => {
    const target = await startEmbedded();
    const news: string[] = [];
    try {
      const report = await runSessionChaos(target, {
        kills: KILLS,
        seed: 1,
        signal: new AbortController().signal,
        note: (text) => news.push(text),
      });
      expect(report.violations, news.join('\n')).toEqual([]);
      expect(Object.values(report.kills).reduce((sum, count) => sum + count, 0)).toBe(KILLS);
      expect(report.counts.sessions).toBeGreaterThan(0);
    } finally {
      await target.stop({ keepData: false });
    }
  }, 900_000);
});
