import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { articleTruth } from '../site/site.ts';
import type { ApiResponse } from '../support/api/call.ts';
import { findMissingPython, usePythonSdk } from '../support/api/python-sdk.ts';
import { type ModelEndpoint, startModelEndpoint, toolsOfferedBy } from '../support/models/model-endpoint.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';

/** The official Python SDK, unchanged, pointed at us. */

const service = useService();
const missing = await findMissingPython();

const REPORT = writePdf([
  { texts: textLines(72, 80, ['The first page has text.']) },
  { texts: textLines(72, 80, ['The second page has more.']) },
]);
const LOCKED = writePdf([{ texts: textLines(72, 80, ['Nobody reads this.']) }], {
  encryption: { userPassword: 'secret' },
});

/** A word that no page of another test has. */
const WORD = `pythonia${Date.now()}`;

let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint();
});
/** A service with a language model, for agents. */
const modelled = useService(() => ({ WINNOW_LLM_BASE_URL: endpoint.url, WINNOW_LLM_MODEL: 'test-model' }));
afterAll(() => endpoint[Symbol.asyncDispose]());

const site = useSite();
let pages: Awaited<ReturnType<typeof startPages>>;
let directory: string;
/** What the SDK returned; the program prints it as JSON. */
let results: ApiResponse['body'];

beforeAll(async () => {
  if (missing) return;
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-python-sdk-'));
  const [file, locked] = [path.join(directory, 'report.pdf'), path.join(directory, 'locked.pdf')];
  await writeFile(file, REPORT);
  await writeFile(locked, LOCKED);
  // Other files scrape the articles of the site at other ports.
  pages = await startPages({
    '/': `<main><h1>Ferries</h1><p>The ferry to ${WORD} departs at noon.</p><dl><dt>Departure</dt><dd>noon</dd></dl></main>`,
  });
  const url = `${pages.url}/`;
  endpoint.reply((request) => {
    const { body } = request;
    if (toolsOfferedBy(request).includes('click'))
      return { calls: [{ name: 'answer', input: { data: 'at noon' } }] };
    const hasRead = body.messages.some(({ role }: { role: string }) => role === 'tool');
    const answer = { name: 'answer', input: { data: { departure: 'noon' }, sources: [url] } };
    return { calls: [hasRead ? answer : { name: 'scrape', input: { url } }] };
  });
  results = await usePythonSdk({
    url: service.url,
    key: service.key,
    file,
    locked,
    site: `${site.url}/`,
    article: `${site.url}/article/3`,
    ferry: `${pages.url}/`,
    query: `ferry to ${WORD}`,
    modelled: { url: modelled.url, key: modelled.key },
    articles: [`${site.url}/article/4`, `${site.url}/article/5`],
  });
});
afterAll(async () => {
  if (missing) return;
  await pages[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

describe.skipIf(missing)(`the official Python SDK${missing ? ` (${missing})` : ''}`, () => {
  it('scrapes a page', () => {
    expect(results.scraped.markdown).toContain(articleTruth(3).firstSentence);
    expect(results.scraped.links.length).toBeGreaterThan(0);
    expect(results.scraped.status_code).toBe(200);
  });

  it('searches, and gets the pages of the results', () => {
    expect(results.searched[0]).toBe(`${pages.url}/`);
    expect(results.searched_markdown).toContain(WORD);
  });

  it('waits for a batch and gets all of its pages', () => {
    const { status, completed, markdown, sources } = results.batch;
    expect([status, completed]).toEqual(['completed', 2]);
    expect(sources.sort()).toEqual([`${site.url}/article/4`, `${site.url}/article/5`]);
    for (const number of [4, 5]) expect(markdown.join()).toContain(articleTruth(number).firstSentence);
  });

  it('waits for a crawl and gets all of its pages', () => {
    const { status, completed, sources } = results.crawl;
    expect([status, completed, sources.length]).toEqual(['completed', 3, 3]);
  });

  it('parses a file', () => {
    const { markdown, metadata } = results.parsed;
    expect(markdown).toBe('The first page has text.\n\nThe second page has more.');
    expect(metadata).toMatchObject({ num_pages: 2, credits_used: 2, content_type: 'application/pdf' });
  });

  it('scrapes and crawls by version 1 of the API', () => {
    const { markdown, links, crawl } = results.older;
    expect(markdown).toContain(articleTruth(3).firstSentence);
    expect(links.length).toBeGreaterThan(0);
    expect(crawl).toEqual(['completed', 2, 2]);
  });

  it('lists the types of files that can be parsed', () => {
    expect(results.formats).toContainEqual({
      format: 'pdf',
      kind: 'document',
      extensions: ['.pdf'],
      mime_types: ['application/pdf'],
      available: true,
    });
    expect(results.formats.find(({ format }: { format: string }) => format === 'jpg')).toMatchObject({
      kind: 'image',
      extensions: ['.jpg', '.jpeg'],
    });
  });

  it('waits for an extract by rules', () => {
    expect(results.extracted).toMatchObject({
      status: 'completed',
      data: { departure: 'noon' },
      sources: { departure: [`${pages.url}/`] },
      warning: expect.stringContaining('by rules'),
    });
  });

  it('watches a page by a monitor', () => {
    const { created, changed, listed, checks, pages: found, deleted } = results.monitor;
    expect([created.name, created.schedule.cron, changed]).toEqual(['Ferries', '0 * * * *', 'paused']);
    expect(listed).toContain(created.id);
    expect([checks, found, deleted]).toEqual([['completed'], [[`${pages.url}/`, 'new']], true]);
  });

  it('waits for an agent, lists it and reads its trace and result', () => {
    const { answered, listed, events, snapshot } = results.agent;
    expect(answered).toMatchObject({ status: 'completed', data: { departure: 'noon' }, credits_used: 5 });
    expect(listed).toContain(answered.id);
    expect([events[0], events.at(-1)]).toEqual(['run.started', 'run.finished']);
    expect(JSON.parse(snapshot)).toEqual({ departure: 'noon' });
  });

  it('lets a language model use the page of a scrape', () => {
    const { prompted } = results.agent;
    expect(prompted).toMatchObject({ success: true, output: 'at noon', exit_code: 0 });
    expect(prompted.stdout).toContain('answer result');
  });

  it('raises an error that names the setting if there is no language model', () => {
    expect(results.agent.no_model).toContain('WINNOW_LLM_BASE_URL');
  });

  it('starts, lists, uses and deletes a browser session, also one that cannot be watched', () => {
    const { created, listed, executed, failed, ended } = results.session;
    expect(created).toMatchObject({
      success: true,
      cdp_url: expect.stringMatching(/^ws/),
      live_view_url: null,
    });
    expect(listed).toContain(created.id);
    expect(executed).toMatchObject({ success: true, exit_code: 0, result: '42' });
    expect(failed).toMatchObject({ success: true, exit_code: 3 });
    expect(ended).toMatchObject({ success: true, credits_billed: expect.any(Number) });
  });

  it('continues a scrape, and stops', () => {
    const { continued, stopped } = results.session;
    expect(continued).toMatchObject({ success: true, result: `${site.url}/article/3` });
    expect(stopped).toMatchObject({ success: true, credits_billed: expect.any(Number) });
  });

  it('raises an error of its own for a file that cannot be read', () => {
    expect(results.refusal.type).toBe('BadRequestError');
    expect(results.refusal.message).toContain('password');
  });
});
