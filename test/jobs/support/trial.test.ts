import { describe, expect, it } from 'vitest';
import { explainJob } from '../../../src/jobs/support/explain.ts';
import type { JobFacts, PageFacts } from '../../../src/jobs/support/facts.ts';
import { requestOfTrial } from '../../../src/jobs/support/trial.ts';
import { crawlBody } from '../../../src/schemas/crawl.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';

const URL = 'http://a.test/';
const CLICK = { type: 'click', selector: '#gone', all: false };
const SKIPPED = 'A test would repeat the clicks, the typing or a script of the request.';

const jobOf = (page: Partial<PageFacts>, rest: Partial<JobFacts> = {}): JobFacts => ({
  id: 'job',
  kind: 'scrape',
  status: 'failed',
  isNamed: true,
  page: {
    url: URL,
    request: scrapeBody.parse({ url: URL, actions: [CLICK] }),
    status: 'failed',
    attempts: [],
    ...page,
  },
  ...rest,
});

const failureOf = (position: number) => ({
  code: 'SCRAPE_ACTION_ERROR',
  message: `Action ${position} (click on "#gone") failed: nothing matches it within 5000 ms.`,
});

describe('a fix', () => {
  it('for a click without an element leaves the click out, and is tested', () => {
    const job = jobOf({ error: failureOf(1) });
    const [fix] = explainJob(job, 'Why?')!.fixes;
    expect([fix?.parameters, fix?.untestable]).toEqual([{ actions: [] }, undefined]);
    expect(fix?.effect).toContain('Action 1 (click) is left out');
    expect(requestOfTrial(job, fix!)?.actions).toEqual([]);
  });

  it('keeps the actions beside the one that failed, and is tested only if none of them clicks', () => {
    const scroll = { type: 'scroll', direction: 'down' };
    const fixOf = (actions: object[], position: number) =>
      explainJob(
        jobOf({ request: scrapeBody.parse({ url: URL, actions }), error: failureOf(position) }),
        'Why?',
      )!.fixes[0]!;
    expect(fixOf([scroll, CLICK], 2)).toMatchObject({ parameters: { actions: [scroll] } });
    expect(fixOf([scroll, CLICK], 2)).not.toHaveProperty('untestable');
    expect(fixOf([{ ...CLICK, selector: '#there' }, CLICK], 2)).toMatchObject({
      parameters: { actions: [{ ...CLICK, selector: '#there' }] },
      untestable: SKIPPED,
    });
  });

  it('that keeps a click is not tested, for a page or for the links of a crawl', () => {
    const late = jobOf({ error: { code: 'SCRAPE_TIMEOUT', message: '' } });
    const ofTimeout = explainJob(late, 'Why?')!.fixes;
    expect(ofTimeout).toContainEqual(
      expect.objectContaining({ parameters: { timeout: expect.any(Number) }, untestable: SKIPPED }),
    );
    const withoutClick = ofTimeout.find(({ parameters }) => Array.isArray(parameters.actions));
    expect(withoutClick).toMatchObject({ parameters: { actions: [] } });
    expect(withoutClick).not.toHaveProperty('untestable');

    const request = crawlBody.parse({ url: `${URL}docs/`, scrapeOptions: { actions: [CLICK] } });
    const crawl = { request, start: `${URL}docs/` };
    const pages = { completed: 1, failed: 0, open: 0, blocked: 0, limit: null, depth: 0, failures: [] };
    const { fixes } = explainJob(jobOf({ status: 'completed' }, { crawl, pages }), 'Why one page?')!;
    expect(fixes.map(({ untestable }) => untestable)).toEqual(fixes.map(() => SKIPPED));
    expect(fixes.length).toBeGreaterThan(0);
  });
});
