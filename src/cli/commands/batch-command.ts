import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { defineCommand } from 'citty';
import { ServiceError } from '../../errors.ts';
import { parseWholeNumber } from '../arguments.ts';
import { fileFault } from '../file-fault.ts';
import { pageArgs, readScrapeOptions } from '../page-arguments.ts';
import { type JobStarter, runPageJobCommand } from '../run-page-job.ts';

/** Largest number of URL bytes in one request; the API accepts bodies of 10 MB. */
const MAX_REQUEST_BYTES = 8_000_000;
const MAX_LISTED_URLS = 10;

const args = {
  'url...': { type: 'positional', description: 'URLs of the pages', required: false },
  file: { type: 'string', valueHint: 'file', description: 'file with one URL per line; - is standard input' },
  ...pageArgs,
} as const;

/** `batch`: scrapes a list of pages. */
export const batchCommand = defineCommand({
  meta: { name: 'batch', description: 'scrape a list of pages' },
  args,
  async run({ args: values }) {
    const listed = [...values._, ...(values.file === undefined ? [] : await readUrls(values.file))];
    const urls = [...new Set(listed)];
    if (!urls.length) {
      throw new ServiceError(
        'BAD_REQUEST',
        'There is nothing to scrape: provide URLs, or a --file with URLs.',
      );
    }
    const file = values._.find((url) => !/[:/]/.test(url) && existsSync(url));
    if (file !== undefined)
      throw new ServiceError('BAD_REQUEST', `${file} is a file here and no URL. Write --file ${file}.`);
    const options = {
      ...readScrapeOptions(values),
      archive: values.archive,
      maxConcurrency: parseWholeNumber('concurrency', values.concurrency),
      origin: 'cli',
    };
    await runPageJobCommand({
      noun: 'batch',
      path: '/v2/batch/scrape',
      args: values,
      start(starter) {
        const doubled = listed.length - urls.length;
        if (doubled > 0)
          starter.note(`Doubled URLs: ${doubled} of ${listed.length}. Each URL is scraped and charged once.`);
        return startBatch(starter, urls, options);
      },
    });
  },
});

async function readUrls(file: string): Promise<string[]> {
  try {
    const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
    return content
      .replace(/^\uFEFF/, '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  } catch (cause) {
    throw new ServiceError(
      'BAD_REQUEST',
      `The URLs cannot be read from ${file}: ${fileFault(cause, 'read')}.`,
      {
        cause,
      },
    );
  }
}

/** Starts the batch with as many URLs as one request holds, and appends the others to it. */
async function startBatch(starter: JobStarter, urls: string[], options: object): Promise<string> {
  let id: string | undefined;
  const invalid: string[] = [];
  try {
    for (const part of splitIntoRequests(urls)) {
      starter.signal.throwIfAborted();
      const response = await starter.post({ urls: part, ...options, appendToId: id });
      id = String(response.id);
      if (Array.isArray(response.invalidURLs)) invalid.push(...response.invalidURLs.map(String));
    }
  } catch (error) {
    if (id !== undefined) await starter.cancel(id);
    throw error;
  }
  if (invalid.length) {
    const more = invalid.length > MAX_LISTED_URLS ? `, and ${invalid.length - MAX_LISTED_URLS} more` : '';
    starter.note(
      `These lines were left out because they are not valid URLs: ${invalid.slice(0, MAX_LISTED_URLS).join(', ')}${more}.`,
    );
  }
  // There is at least one request, because there is at least one URL.
  return String(id);
}

function* splitIntoRequests(urls: string[]): Generator<string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const url of urls) {
    const size = Buffer.byteLength(JSON.stringify(url)) + 1;
    if (part.length && bytes + size > MAX_REQUEST_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(url);
    bytes += size;
  }
  yield part;
}
