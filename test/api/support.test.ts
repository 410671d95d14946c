import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createErrorHandler } from '../../src/api/http/error-responses.ts';
import { ServiceError } from '../../src/errors.ts';
import { createLogger } from '../../src/system/logger.ts';
import { call } from '../support/api/call.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';

/** Questions about jobs, and about how the service is used. */

const db = useDatabase();
let team: TestTeam;
let pages: Pages;
/** When the content of the late page arrives. */
let lateMs = 1_500;
beforeAll(async () => {
  team = await makeTeam(db, { credits: 10, zeroDataRetention: true });
  pages = await startPages({
    '/empty': '<!doctype html><title>Empty</title><main></main>',
    '/late': (_request, response) => {
      response
        .setHeader('Content-Type', 'text/html')
        .end(`<!doctype html><title>Late</title><script>setTimeout(() => {
      document.body.innerHTML = '<main><p>${'A sentence that a script adds late. '.repeat(9)}</p></main>'; }, ${lateMs})</script>`);
    },
  });
});
afterAll(() => pages[Symbol.asyncDispose]());

const ask = (body: Record<string, unknown>, key = team.key) => call('/v2/support/ask', { body, key });
const scrape = (body: Record<string, unknown>, key = team.key) => call('/v2/scrape', { body, key });

describe('a support question', () => {
  it('gets an answer that says what is missing where nothing of the team explains it', async () => {
    const { status, body } = await ask({ question: 'Who painted the old town hall?', origin: 'api' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
      confidence: 'low',
      fixParameters: null,
      validation: null,
      feedback: { blockedBy: expect.any(String), attempted: expect.any(Array) },
      durationMs: expect.any(Number),
    });
  });

  it.each([
    [{ question: '' }],
    [{ question: 'x'.repeat(8_001) }],
    [{ question: 'Why?', rationale: '' }],
    [{ question: 'Why?', rationale: 'x'.repeat(2_001) }],
    [{ question: 'Why?', context: 'text' }],
    [{ question: 'Why?', unknown: true }],
    [{}],
  ])('is refused where it breaks a limit: %#', async (body) => {
    expect(await ask(body)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });

  it('is not listed as an activity of the team', async () => {
    const { body: answer } = await ask({ question: 'Is this listed?' });
    const { body } = await call('/v2/team/activity?limit=100', { key: team.key });
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(answer.requestId);
  });

  it('gets the same answer for a job that is unknown, of another team or has zero data retention', async () => {
    const sealed = await scrape({ url: `${pages.url}/empty`, zeroDataRetention: true });
    const foreign = await call('/v2/scrape', { body: { url: `${pages.url}/empty` } });
    const ids = [
      '0190a2b4-7c11-7000-8000-000000000000',
      'no id at all',
      sealed.body.data.metadata.scrapeId,
      foreign.body.data.metadata.scrapeId,
    ];
    const answers = await Promise.all(ids.map((jobId) => ask({ question: 'Why is it empty?', jobId })));
    const comparable = answers.map(({ status, body: { requestId: _, durationMs: __, ...rest } }) => [
      status,
      rest,
    ]);
    expect(new Set(comparable.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(comparable[0]).toMatchObject([
      200,
      { confidence: 'low', feedback: { blockedBy: expect.any(String) } },
    ]);
  });

  it('costs nothing, and neither do the scrapes that prove its answer, which are not listed', async () => {
    // On a busy machine, the first scrape could otherwise see the content.
    lateMs = 600_000;
    const { body: scraped } = await scrape({ url: `${pages.url}/late`, maxAge: 0 });
    lateMs = 1_500;
    const before = await call('/v2/team/credit-usage', { key: team.key });
    const { body } = await ask({ question: 'Why is it empty?', jobId: scraped.data.metadata.scrapeId });
    expect(body).toMatchObject({
      fixParameters: { waitFor: 5_000 },
      validation: { tested: true, result: 'success' },
    });
    expect((await call('/v2/team/credit-usage', { key: team.key })).body).toEqual(before.body);
    const { body: activity } = await call('/v2/team/activity?limit=100', { key: team.key });
    expect(
      activity.data.filter(({ target }: { target: string | null }) => target?.endsWith('/late')),
    ).toHaveLength(1);
  });

  it('needs no id of the job where the newest failed one is meant, which it names', async () => {
    const { body: failed } = await scrape({ url: 'http://no-such-host.invalid/' });
    expect(failed.details.scrapeId).toMatch(/^[\da-f-]{36}$/);
    const { body } = await ask({ question: 'Why did my last scrape fail?' });
    expect(body.answer).toContain(failed.details.scrapeId);
    expect(body.answer).toContain('SCRAPE_DNS_RESOLUTION_ERROR');
    expect(body).toMatchObject({ fixParameters: null, feedback: null });
  });

  it('about the credits of the team is answered with their number', async () => {
    const { body } = await ask({ question: 'How many credits do we have left?' });
    expect(body).toMatchObject({
      answer: expect.stringMatching(/^The team has \d+ credits left\. It has used \d+ this month \(UTC\)\.$/),
      confidence: 'high',
    });
  });
});

describe('an answer that is not complete in time', () => {
  it('is a 504 with its members beside the error', async () => {
    const answer = { answer: 'So far, nothing.', confidence: 'low', fixParameters: null };
    const app = express();
    app.get('/', () => {
      throw new ServiceError('SUPPORT_TIMEOUT', 'It took too long.', { partialResult: answer });
    });
    app.use(createErrorHandler(createLogger('api', 'fatal')));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A TCP server's address is never a path.
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect([response.status, await response.json()]).toEqual([
      504,
      { ...answer, success: false, code: 'SUPPORT_TIMEOUT', error: 'It took too long.' },
    ]);
    server.close();
  });
});

describe('a question to the guides', () => {
  const search = (question: string) => call('/v2/support/docs-search', { body: { question }, key: team.key });

  it('is answered by their sentences, and each section that it names is a page of this service', async () => {
    const { status, body } = await search('What is the maximum timeout of a scrape?');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      answer: expect.stringContaining('1000 to 300000'),
      usage: { totalTokens: 0 },
    });
    expect(body.evidence.length).toBeGreaterThan(0);
    for (const { pathOrUrl } of body.evidence) {
      const page = await (await fetch(pathOrUrl)).text();
      expect(page).toContain(`id="${new URL(pathOrUrl).hash.slice(1)}"`);
    }
  });

  it('that they do not cover is not answered', async () => {
    const { body } = await search('How do I bake sourdough bread?');
    expect(body).toMatchObject({ answer: expect.stringContaining('do not cover'), evidence: [] });
  });

  it('may also be for support, which finds the guide', async () => {
    const { body } = await ask({ question: 'How can a webhook be verified by its signature?' });
    expect(body).toMatchObject({ answer: expect.stringContaining('/docs/guides/webhooks#'), feedback: null });
  });

  it.each([{}, { question: '' }, { question: 'x'.repeat(8_001) }, { question: 'Why?', jobId: '1' }])(
    'is refused where it breaks a limit: %#',
    async (body) => {
      const response = await call('/v2/support/docs-search', { body, key: team.key });
      expect(response).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    },
  );
});
