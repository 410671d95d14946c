import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChaosReport, runChaos } from '../chaos/run.ts';
import { type ChaosTarget, startEmbedded } from '../chaos/target.ts';
import { IS_FULL_RUN } from '../support/suite/corpus.ts';

/**
 * The short form of `bench/chaos.ts`, on an instance of its own: everything dies three times, nothing is
 * lost.
 */

const KILLS = IS_FULL_RUN ? 3 : 1;
const PAGES = IS_FULL_RUN ? 200 : 40;

let target: ChaosTarget;
let report: ChaosReport;
const news: string[] = [];

beforeAll(async () => {
  target = await startEmbedded();
  report = await runChaos(target, {
    pages: PAGES,
    kills: KILLS,
    parts: target.victims,
    seed: 1,
    signal: new AbortController().signal,
    note: (text) => news.push(text),
  });
}, 600_000);
afterAll(() => target.stop({ keepData: false }));

it('the chaos run kills every part as often as requested', () => {
  expect(report.kills).toEqual({
    api: KILLS,
    browser: KILLS,
    postgres: KILLS,
    temporal: KILLS,
    worker: KILLS,
  });
});

it('every page is in the results, the ledger and the webhooks exactly once, and no status is ever wrong', () => {
  expect(report.violations, news.join('\n')).toEqual([]);
});

it('a batch and two crawls complete while parts are killed', () => {
  for (const { jobs } of report.rounds) {
    const ends = jobs.map(({ plan, head }) => [plan.name, head.status, head.total]);
    expect(ends).toEqual([
      ['batch', 'completed', PAGES],
      ['crawl', 'completed', PAGES],
      ['limited crawl', 'completed', PAGES / 4],
    ]);
  }
  expect(report.counts['webhook events']).toBe(report.rounds.length * (2.25 * PAGES + 6));
});
