import { describe, expect, it } from 'vitest';
import { describeSynchronousJob, labelsOf } from '../../src/temporal/workflow-starts.ts';

/** What the Temporal UI shows of jobs, which more people may see than what a request said. */

const START = { jobId: 'job', teamId: 'team', timeoutMs: 30_000 };
const url = 'https://user:hidden@example.com/page';

describe('the Temporal UI', () => {
  it('shows URLs of jobs without user names and passwords', () => {
    for (const job of [
      { target: url, url },
      { target: 'user:hidden@example.com/page', url: undefined },
    ]) {
      const shown = describeSynchronousJob('scrape', { ...START, ...labelsOf(job) });
      expect(shown.staticSummary).toMatch(/^Scrape (https:\/\/)?example\.com\/page$/);
      expect(JSON.stringify(shown)).not.toContain('hidden');
    }
  });

  it('shows the name of a file as it is', () => {
    const shown = describeSynchronousJob('scrape', {
      ...START,
      ...labelsOf({ upload: { name: 'a@b.pdf' }, target: 'upload', url: undefined }),
    });
    expect(shown.staticSummary).toBe('Parse a@b.pdf');
  });
});
