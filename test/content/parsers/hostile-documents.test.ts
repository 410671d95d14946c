import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDocumentConverter,
  type DocumentConverter,
} from '../../../src/content/parsers/conversion/document-converter.ts';
import type { ConvertedDocument } from '../../../src/content/parsers/document.ts';
import { ServiceError } from '../../../src/errors.ts';
import { sampleOf } from '../../support/suite/corpus.ts';
import { IMAGE_BOMBS, READABLE_PDFS, SLOW_PDFS, UNREADABLE_PDFS } from './pdf/hostile-pdfs.ts';
import { textLines, writePdf } from './pdf/pdf-writer.ts';

/** Files that are made to harm the service. A document that is sent with each must not be affected. */

const ORDINARY = writePdf([{ texts: textLines(72, 72, ['An ordinary document.']) }]);
/** Files of a few kilobytes cannot fill more than this. */
const MAX_HTML_CHARS = 5_000_000;
const SLOW_MS = 5_000;

let cacheDir: string;
let documents: DocumentConverter;
beforeAll(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'winnow-hostile-'));
  const logger = { warn: () => undefined, debug: () => undefined };
  documents = await createDocumentConverter({ cacheDir, processes: 2, logger });
});
afterAll(async () => {
  await documents.close();
  await rm(cacheDir, { recursive: true });
});

/** Converts a file, and an ordinary one at the same time. @returns the document, or the error */
async function convertBoth(file: Buffer, timeoutMs = 150_000): Promise<ConvertedDocument | Error> {
  const task = {
    type: 'pdf' as const,
    images: true,
    pdf: { mode: 'auto' as const, maxPages: 10_000, pages: true },
  };
  const [hostile, ordinary] = await Promise.all([
    documents
      .convert(task, file, { signal: AbortSignal.timeout(timeoutMs), owner: 'a' })
      .catch((error: Error) => error),
    documents.convert(task, ORDINARY, { signal: AbortSignal.timeout(150_000), owner: 'a' }),
  ]);
  expect(ordinary).toMatchObject({ html: '<p>An ordinary document.</p>', warnings: [] });
  return hostile;
}

const asError = (outcome: ConvertedDocument | Error) => {
  if (outcome instanceof Error) return outcome;
  throw new Error(`It was converted: ${outcome.html.slice(0, 200)}`);
};

describe('a hostile PDF is refused as unreadable:', () => {
  test.each(sampleOf(Object.entries(UNREADABLE_PDFS), 3, 1))('%s', async (_, make) => {
    const error = asError(await convertBoth(make()));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'SCRAPE_DOCUMENT_UNREADABLE' });
    expect(error.message).toMatch(/cannot be read|could be read/);
    expect(error.message).not.toMatch(/\n|\/(?:src|node_modules)\//);
  });
});

describe('a hostile PDF is read, refused or ended by the time limit:', () => {
  test.each(sampleOf(Object.entries(SLOW_PDFS), 4))('%s', async (_, make) => {
    const outcome = await convertBoth(make(), SLOW_MS);
    if (!(outcome instanceof Error)) expect(outcome.html.length).toBeLessThan(MAX_HTML_CHARS);
    else if (outcome instanceof ServiceError) expect(outcome.code).toBe('SCRAPE_DOCUMENT_UNREADABLE');
    else expect(outcome.name).toBe('TimeoutError');
  });
});

describe('a hostile PDF is read, or refused as unreadable:', () => {
  test.each(sampleOf(Object.entries(IMAGE_BOMBS), 3))('%s', async (_, make) => {
    const outcome = await convertBoth(make());
    if (!(outcome instanceof Error)) expect(outcome.html.length).toBeLessThan(MAX_HTML_CHARS);
    else expect(outcome).toMatchObject({ code: 'SCRAPE_DOCUMENT_UNREADABLE' });
  });
});

describe('a hostile PDF is read:', () => {
  test.each(sampleOf(Object.entries(READABLE_PDFS), 2, 1))('%s', async (_, make) => {
    const outcome = await convertBoth(make());
    if (outcome instanceof Error) throw outcome;
    expect(outcome.html.length).toBeLessThan(MAX_HTML_CHARS);
    expect(outcome.html).not.toMatch(/root:|javascript:|file:/);
  });
});
