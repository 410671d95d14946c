import { describe, expect, it } from 'vitest';
import { ChunkLog } from '../../src/activities/chunk.ts';
import type { PageEnd } from '../../src/db/lanes.ts';

/** What the result of a chunk shows in Temporal. */

describe('the report of a chunk', () => {
  it('lists the pages that ended, and counts apart those that are tried again and those that were not tried', async () => {
    const log = new ChunkLog();
    const ends: Pick<PageEnd, 'outcome' | 'isUntried' | 'error'>[] = [
      { outcome: 'completed' },
      { outcome: 'unbegun' },
      { outcome: 'retry', isUntried: true },
      { outcome: 'retry' },
      { outcome: 'failed', error: { code: 'SCRAPE_TIMEOUT', message: 'late' } },
      { outcome: 'dropped' },
    ];
    for (const [ordinal, end] of ends.entries()) {
      const host = 'a.test';
      await log.note({ ordinal, host }, async () => ({ end: { id: String(ordinal), host, ...end } }));
    }
    expect(log.report).toEqual({
      pages: '0, 4-5',
      failed: { SCRAPE_TIMEOUT: 1 },
      retried: 1,
      postponed: 2,
    });
  });
});
