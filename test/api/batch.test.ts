import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { articleTruth, type Site, startSite } from '../../bench/site.ts';
import type { Database } from '../../src/db/client.ts';
import { type Answer, call } from '../support/api.ts';
import { makeTeam, openTestDatabase } from '../support/database.ts';

/** Batches: started, watched, changed and ended through the API. */

let site: Site;
let db: Database;
beforeAll(async () => {
  site = await startSite();
  db = openTestDatabase();
});
afterAll(async () => {
  await db.close();
  await site.close();
});

const start = (body: Record<string, unknown>, key?: string) =>
  call('/v2/batch/scrape', { body, ...(key !== undefined && { key }) });
const articles = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `${site.url}/article/${from + index}`);

/** Reads the status until the job has ended. */
async function finished(id: string, key?: string): Promise<Answer['body']> {
  for (;;) {
    const { body } = await call(`/v2/batch/scrape/${id}`, key === undefined ? {} : { key });
    expect(body.total).toBeGreaterThanOrEqual(body.completed);
    if (body.status !== 'scraping') return body;
    await sleep(100);
  }
}

describe('a batch', () => {
  it('scrapes every page and says so', async () => {
    const { status, body } = await start({ urls: articles(12), formats: ['markdown', 'links'] });
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, id: expect.any(String), url: expect.any(String), invalidURLs: [] });
    expect(body.url).toMatch(new RegExp(`^http://127.0.0.1:\\d+/v2/batch/scrape/${body.id}$`));
    const done = await finished(body.id);
    expect(done).toMatchObject({
      success: true,
      status: 'completed',
      total: 12,
      completed: 12,
      creditsUsed: 12,
    });
    expect(done.next).toBeUndefined();
    expect(done.duration).toBeGreaterThan(0);
    const byUrl = new Map<string, Answer['body']>(
      done.data.map((each: Answer['body']) => [each.metadata.sourceURL, each]),
    );
    expect(byUrl.size).toBe(12);
    for (let n = 0; n < 12; n++) {
      const document = byUrl.get(`${site.url}/article/${n}`);
      expect(document.markdown).toContain(articleTruth(n).firstSentence);
      expect(document.metadata).toMatchObject({ statusCode: 200, creditsUsed: 1 });
    }
    expect(new Set(done.data.map((each: Answer['body']) => each.metadata.scrapeId)).size).toBe(12);
  });
});
