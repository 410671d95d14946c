import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DeterminismViolationError } from '@temporalio/workflow';
import { describe, expect, it } from 'vitest';
import { readHistory, replay, savedHistories, silenceReplays } from '../support/histories.ts';

/**
 * Histories of earlier versions. One that no longer replays means that jobs which are under way during an update
 * would break: the workflow needs `patched`.
 */

silenceReplays();

const parse = (text: string) => historyFromJSON(JSON.parse(text));

describe('histories of earlier versions', () => {
  it('exist for every kind of job', () => {
    const kinds = new Set(savedHistories().map((name) => name.split('-')[0]));
    expect([...kinds].sort()).toEqual(['batch', 'browser', 'crawl', 'map', 'scrape', 'webhooks']);
  });

  it.each(savedHistories())('%s replays', async (name) => {
    await replay(parse(readHistory(name)), 'earlier');
  });

  it.each([
    ['scrape-completed.json', 'scrapePage'],
    ['crawl-paused.json', 'scrapePages'],
    ['webhooks-retried.json', 'deliverWebhooks'],
    ['browser-idle.json', 'keepSession'],
  ])('%s that the workflow does not follow is noticed', async (name, step) => {
    const other = readHistory(name).replaceAll(`"${step}"`, '"somethingElse"');
    await expect(replay(parse(other), 'earlier')).rejects.toThrow(DeterminismViolationError);
  });
});
