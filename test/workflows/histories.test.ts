import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, it } from 'vitest';
import { readHistory, replayAll, savedHistories, silenceReplays } from '../support/workflows/histories.ts';

/**
 * Histories of earlier versions. One that no longer replays means that jobs which are under way during an
 * update would break: the workflow needs `patched`.
 */

silenceReplays();

/** Histories, each with the name of an activity that is renamed in a copy of it. */
const CHANGED_STEPS = [
  ['scrape-completed.json', 'scrapePage'],
  ['crawl-paused.json', 'scrapePages'],
  ['webhooks-retried.json', 'deliverWebhooks'],
  ['browser-idle.json', 'keepSession'],
  ['support-proved.json', 'judgeTrial'],
  ['search-scraped.json', 'addDocuments'],
  ['agent-cancelled.json', 'finishCall'],
  ['agent-left.json', 'endRun'],
  ['batch-paused.json', 'isPaused'],
  ['extract-completed.json', 'takeTurn'],
  ['preview-completed.json', 'previewCrawl'],
  ['review-completed.json', 'reviewMonitor'],
  ['monitor-judged.json', 'judgePages'],
] as const;

const parse = (text: string) => historyFromJSON(JSON.parse(text));

/** The errors of all replays, by the name of the history. One worker replays all of them. */
let errors: Map<string, unknown>;
beforeAll(async () => {
  const saved = savedHistories().map((name) => [name, parse(readHistory(name))] as const);
  const changed = CHANGED_STEPS.map(([name, step]) => {
    const other = readHistory(name).replaceAll(`"${step}"`, '"somethingElse"');
    return [`changed ${name}`, parse(other)] as const;
  });
  errors = await replayAll([...saved, ...changed]);
});

describe('histories of earlier versions', () => {
  it('exist for every kind of job', () => {
    const kinds = new Set(savedHistories().map((name) => name.split('-')[0]));
    expect([...kinds].sort()).toEqual([
      'agent',
      'batch',
      'browser',
      'crawl',
      'extract',
      'mails',
      'map',
      'monitor',
      'preview',
      'review',
      'scrape',
      'search',
      'support',
      'webhooks',
    ]);
  });

  it.each(savedHistories())('%s replays', (name) => {
    expect(errors.get(name)).toBeUndefined();
  });

  it.each(CHANGED_STEPS)('%s that the workflow does not follow is noticed', (name) => {
    expect(errors.get(`changed ${name}`)).toBeInstanceOf(DeterminismViolationError);
  });
});
