import { beforeAll, describe, expect, it } from 'vitest';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { parse } from '../support/api/parse.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';

/** The option `redactPII` in the jobs of the API. */

const db = useDatabase();
let team: TestTeam;
beforeAll(async () => {
  team = await makeTeam(db);
});

const PERSONAL = /ann@|example\.com|415|DE89|Baker/;
const PAGE = `<html lang="en"><title>Contact ann@example.com</title><main><h1>Contact</h1>
  <p>Call +1 415-555-2671 or write to <a href="mailto:ann@example.com">ann@example.com</a>.</p>
  <p>We are at 221B Baker Street, London NW1 6XE.</p><p>Donations: DE89 3704 0044 0532 0130 00</p>
  <p>The office opens at nine and closes at five on every working day of the week.</p></main></html>`;

const scrape = async (body: object) => {
  const { body: answer } = await call('/v2/scrape', { body: { fastMode: true, ...body }, key: team.key });
  expect(answer).toMatchObject({ success: true });
  return answer.data;
};

const finishedJob = async (path: string, body: Record<string, unknown>) =>
  finished(path, await startJob(path, body, { key: team.key }), { key: team.key });

describe('redactPII', () => {
  it('keeps personal data out of every text of a scrape, whose cached copy has it', async () => {
    await using site = await startPages({ '/contact': PAGE });
    const url = `${site.url}/contact`;
    const formats = [
      'markdown',
      'html',
      'rawHtml',
      'links',
      'summary',
      'contentBlocks',
      { type: 'json', prompt: 'the e-mail address and telephone number' },
      { type: 'question', question: 'What is the telephone number?' },
      { type: 'attributes', selectors: [{ selector: 'a', attribute: 'href' }] },
    ];
    const redacted = await scrape({ url, formats, redactPII: true });
    expect(redacted.markdown).toContain('Call <PHONE> or write to [<EMAIL>](mailto:EMAIL).');
    expect(redacted.markdown).toContain('We are at <LOCATION>.');
    expect(redacted.markdown).toContain('Donations: <FINANCIAL>');
    expect(redacted.metadata.title).toBe('Contact <EMAIL>');
    expect(redacted.warning).toContain(
      'redactPII left names of persons as they are, because no language model',
    );
    const { scrapeId: _, ...metadata } = redacted.metadata;
    expect(JSON.stringify({ ...redacted, metadata }).replaceAll(site.url, '')).not.toMatch(PERSONAL);
    const plain = await scrape({ url });
    expect(plain.metadata.cacheState).toBe('hit');
    expect(plain.markdown).toContain('+1 415-555-2671');
    const { metadata: priced } = await scrape({ url, redactPII: true });
    expect(priced.creditsUsed - plain.metadata.creditsUsed).toBe(4);
  });

  it('is applied to the pages of batches and crawls, and a crawl follows the links as they are', async () => {
    await using site = await startPages({
      '/': `${PAGE}<a href="/people/ann@example.com">Ann</a>`,
      '/people/ann@example.com': '<main><p>Ask bob@example.com about it.</p></main>',
    });
    const scrapeOptions = { fastMode: true, redactPII: { mode: 'fast' } };
    const crawl = await finishedJob('/v2/crawl', { url: `${site.url}/`, scrapeOptions });
    const texts = crawl.data.map(({ markdown }: { markdown: string }) => markdown);
    expect(texts).toHaveLength(2);
    expect(texts.join()).toContain('Ask <EMAIL> about it.');
    expect(texts.join()).not.toMatch(PERSONAL);
    const batch = await finishedJob('/v2/batch/scrape', { urls: [`${site.url}/`], ...scrapeOptions });
    expect(batch.data[0].markdown).toContain('Call <PHONE>');
    expect(batch.data[0].markdown).not.toMatch(PERSONAL);
  });

  it('compares redacted versions of a page with each other only', async () => {
    let mail = 'ann@example.com';
    await using site = await startPages({
      '/page': (_request, response) =>
        response.setHeader('content-type', 'text/html').end(`<main><p>Write to ${mail} soon.</p></main>`),
    });
    const track = async (options: object) => {
      const formats = ['markdown', { type: 'changeTracking', modes: ['git-diff'] }];
      const { changeTracking } = await scrape({ url: `${site.url}/page`, formats, ...options });
      return changeTracking;
    };
    expect((await track({})).changeStatus).toBe('new');
    expect((await track({ redactPII: true })).changeStatus).toBe('new');
    mail = 'bob@example.com';
    expect((await track({ redactPII: true })).changeStatus).toBe('same');
    expect((await track({ redactPII: true, fastMode: true })).changeStatus).toBe('same');
    expect(await track({})).toMatchObject({ changeStatus: 'changed' });
    expect((await track({ redactPII: { replaceStyle: 'mask' } })).changeStatus).toBe('new');
  });

  it('says of which results it is not possible', async () => {
    const { body } = await call('/v2/scrape', {
      body: { url: 'https://site.example/', formats: ['rawBase64'], redactPII: true },
      key: team.key,
    });
    expect(body).toMatchObject({ success: false, code: 'BAD_REQUEST' });
    expect(body.error).toContain('redactPII can replace nothing');
  });

  it('is applied to files that are sent, of whose pages pictures show everything', async () => {
    const lines = ['Write to ann@example.com or call +1 415-555-2671.'];
    const file = { content: new Uint8Array(writePdf([{ texts: textLines(72, 80, lines) }])), name: 'a.pdf' };
    const redactPII = { mode: 'fast' };
    const { body } = await parse(file, { redactPII }, team);
    expect(body.data.markdown).toBe('Write to <EMAIL> or call <PHONE>.');
    expect(body.data.metadata.creditsUsed).toBe(5);
    expect(body.data.warning).not.toContain('in text only');
    const pictured = await parse(file, { redactPII, parsers: [{ type: 'pdf', pageImages: [1] }] }, team);
    expect(pictured.body.data.pageImages).toHaveLength(1);
    expect(pictured.body.data.warning).toContain(
      'redactPII replaces personal data in text only: pageImages show the page as it is.',
    );
  });

  it('is refused of batches and crawls that keep the responses of the sites', async () => {
    const url = 'https://site.example/';
    for (const [path, body] of [
      ['/v2/batch/scrape', { urls: [url], redactPII: true }],
      ['/v2/crawl', { url, scrapeOptions: { redactPII: true } }],
    ] as const) {
      const answer = await call(path, { body: { ...body, archive: true }, key: team.key });
      expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
      expect(answer.body.error).toContain('redactPII');
    }
  });
});
