import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ConvertDocument, DocumentTask } from '../../../src/content/parsers/document.ts';
import { createConvertIfDocument } from '../../../src/fetch/engines/convert-document.ts';
import { readBody } from '../../../src/fetch/engines/read-body.ts';
import {
  escapeOtherReferences,
  parseFileReference,
  withFileUrls,
} from '../../../src/storage/blobs/file-urls.ts';
import { openBlobs } from '../../../src/storage/blobs/index.ts';
import { snapshotOf } from '../../content/html/page.ts';
import { withCredits } from '../../support/fetch/extra-credits.ts';

const directory = await mkdtemp(path.join(tmpdir(), 'winnow-convert-document-'));
afterAll(() => rm(directory, { recursive: true }));
const blobs = await openBlobs(directory, 'results');

const PICTURE = Buffer.from('picture');
const tasks: DocumentTask[] = [];
const convert: ConvertDocument = async (task) => {
  tasks.push(task);
  return {
    html: '<p>Text</p><img src="document-image:p1.1" alt="A">',
    metadata: { title: 'A & B', author: '"Ada"', language: 'en' },
    pages: [
      { number: 1, width: 1, height: 1, status: 'ok', html: '<img src="document-image:p1.1">', blocks: [] },
    ],
    numPages: 1,
    totalPages: 3,
    images: [{ id: 'p1.1', mediaType: 'image/png', bytes: PICTURE }],
    warnings: ['Page 2 could not be read.'],
  };
};
const convertIfDocument = createConvertIfDocument({ convert, blobs });

const PDF = { url: 'http://a.test/a.pdf', contentType: 'application/pdf', body: Buffer.from('%PDF-1.7') };

const PARSERS = [{ type: 'pdf', mode: 'auto', blocks: false, pageMarkers: false }];

function read({
  credits,
  ...options
}: {
  wantsImages: boolean;
  parsers?: { type: string }[];
  /** The credits that the document may cost beyond its first page. */
  credits?: number;
}) {
  const content = readBody(PDF, { wantsBody: false, parsers: PARSERS, ...options });
  return convertIfDocument(
    { ...snapshotOf(''), warnings: ['First.'], ...content },
    {
      signal: new AbortController().signal,
      owner: 'a',
      extraCredits: credits === undefined ? undefined : withCredits(credits),
    },
  );
}

describe('the body of a PDF', () => {
  it('becomes a page whose head has the metadata', async () => {
    const content = await read({ wantsImages: false });
    expect(content).toMatchObject({
      kind: 'html',
      document: { type: 'pdf', numPages: 1, totalPages: 3, hasImages: false },
      warnings: ['First.', 'Page 2 could not be read.'],
    });
    expect(content).not.toHaveProperty('unconverted');
    expect(content.text).toContain(
      '<html lang="en"><head><title>A &amp; B</title><meta name="author" content="&quot;Ada&quot;"></head>',
    );
  });

  it('is read as far as its team can pay, with a warning, and is then no whole page', async () => {
    const content = await read({ wantsImages: false, credits: 1 });
    expect(tasks.at(-1)?.pdf?.maxPages).toBe(2);
    expect(content.isPartial).toBe(true);
    expect(content.warnings).toContain(
      'Only 1 of 3 pages were read, because the team has no credits for more of them.',
    );
    await read({ wantsImages: false, credits: -5 });
    expect(tasks.at(-1)?.pdf?.maxPages).toBe(1);
    const whole = await read({ wantsImages: false, credits: 20_000 });
    expect([tasks.at(-1)?.pdf?.maxPages, whole.isPartial, whole.warnings?.length]).toEqual([
      10_000,
      undefined,
      2,
    ]);
  });

  it('is read again with fewer pages if other work of the team reserves the credits for some meanwhile', async () => {
    const limits: (number | undefined)[] = [];
    let left = 5;
    const reserved: number[] = [];
    const reader = createConvertIfDocument({
      blobs,
      async convert(task) {
        limits.push(task.pdf?.maxPages);
        if (limits.length === 1) left = 1;
        const numPages = Math.min(4, task.pdf?.maxPages ?? 0);
        return { html: '', metadata: {}, numPages, totalPages: 4, images: [], warnings: [] };
      },
    });
    const content = readBody(PDF, { wantsBody: false, wantsImages: false, parsers: PARSERS });
    const extraCredits = {
      available: async () => left,
      async reserve(credits: number) {
        reserved.push(credits);
        return credits <= left;
      },
    };
    const options = { signal: new AbortController().signal, owner: 'a', extraCredits };
    const { document, warnings } = await reader({ ...snapshotOf(''), ...content }, options);
    expect({ limits, reserved, pages: document?.numPages }).toEqual({
      limits: [6, 2],
      reserved: [3, 1],
      pages: 2,
    });
    expect(warnings).toEqual([
      'Only 2 of 4 pages were read, because the team has no credits for more of them.',
    ]);
  });

  it('has its images as stored files, to which the HTML refers', async () => {
    const { files, text, document } = await read({ wantsImages: true });
    const reference = files['document-image:p1.1']!;
    expect(await blobs.get(parseFileReference(reference)!.key)).toEqual(PICTURE);
    expect(text).toContain(`<img src="${reference}" alt="A">`);
    expect(document?.pages?.[0]?.html).toBe(`<img src="${reference}">`);
    expect(document?.hasImages).toBe(true);
  });

  it('is returned in base64 if the request does not allow the parser', async () => {
    const before = tasks.length;
    const content = await read({ wantsImages: false, parsers: [] });
    expect(content).toMatchObject({ kind: 'base64', text: Buffer.from('%PDF-1.7').toString('base64') });
    expect(tasks).toHaveLength(before);
  });
});

describe('the URL of a stored file', () => {
  const reference = (digit: string) => `blob:${digit.repeat(64)};7;image/png`;

  it('replaces its reference in markdown, too', () => {
    const json = JSON.stringify({ images: [reference('a')], markdown: `![A](${reference('a')})` });
    const { images, markdown } = JSON.parse(withFileUrls(json, 'http://s.test', 'secret'));
    expect(images[0]).toMatch(/^http:\/\/s\.test\/v2\/files\//);
    expect(markdown).toBe(`![A](${images[0]})`);
  });

  it('is not made for a reference that only text has', () => {
    const json = JSON.stringify({ images: [reference('a')], markdown: `![A](${reference('b')})` });
    expect(withFileUrls(json, 'http://s.test', 'secret')).toContain(`![A](${reference('b')})`);
  });

  it('is not made for text of a page that looks like a reference, whatever stands before it', () => {
    const own = reference('a');
    const page = {
      images: [own],
      attributes: [{ values: [reference('b'), own] }],
      markdown: `\b${own.slice(1)} \\${reference('b')}`,
    };
    const json = withFileUrls(escapeOtherReferences(JSON.stringify(page), [own]), 'http://s.test', 'secret');
    const { images, attributes, markdown } = JSON.parse(json);
    expect(images[0]).toMatch(/^http:\/\/s\.test\/v2\/files\//);
    expect(attributes[0].values).toEqual([reference('b'), images[0]]);
    expect(markdown).toBe(page.markdown);
  });
});
