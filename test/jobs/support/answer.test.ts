import { expect, it } from 'vitest';
import { composeAnswer } from '../../../src/jobs/support/answer.ts';
import { explainError } from '../../../src/jobs/support/error-rules.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';

/** The answers of support to questions that no rule explains. */

const id = '0190a6e0-0000-7000-8000-000000000000';

it('about a job that nothing explains, say how its page went', () => {
  const url = 'http://site.test/';
  const page = {
    url,
    request: scrapeBody.parse({ url }),
    status: 'completed' as const,
    attempts: [],
    summary: 'A plain fetch got HTTP 200 in 12 ms.',
  };
  const job = { id, kind: 'scrape', status: 'completed', isNamed: true, page };
  const { answer, feedback } = composeAnswer({ job, verdicts: [], passages: [], attempted: ['job'] });
  const said = `Nothing about the job ${id} is out of the ordinary. A plain fetch got HTTP 200 in 12 ms.`;
  expect(answer).toContain(said);
  expect(feedback?.blockedBy).toBe(said);
});

it('about a page that no site serves, give each advice once', () => {
  const url = 'http://site.test/';
  const message = 'site.test refused the connection. Check the URL and its port.';
  const finding = explainError({
    url,
    request: scrapeBody.parse({ url }),
    status: 'failed',
    attempts: [],
    error: { code: 'SCRAPE_SITE_ERROR', message },
  });
  const { advice } = finding;
  const found = { ...finding, fixes: [] };
  const { answer } = composeAnswer({ finding: found, verdicts: [], passages: [], attempted: ['job'] });
  expect(answer).toBe(`SCRAPE_SITE_ERROR: ${message} ${advice}`);
  expect(answer.match(/Check the URL/g)).toHaveLength(1);
});
