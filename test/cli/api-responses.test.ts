import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../src/run/embedded/command.ts';
import { type DataDirectoryLock, lockDataDirectory } from '../../src/run/embedded/supervision/run-file.ts';

/** Commands against a fake API whose responses each test defines. */

const entry = join(import.meta.dirname, '../../bin/winnow.js');
const dataDir = mkdtempSync(join(tmpdir(), 'winnow-cli-'));

interface Asked {
  method: string | undefined;
  path: string | undefined;
  key: string | string[] | undefined;
  body: unknown;
}
let asked: Asked[] = [];
let answers: Record<string, unknown[]> = {};

const api = createServer(async (request, response) => {
  const sent = await text(request);
  const { method, url } = request;
  asked.push({
    method,
    path: url,
    key: request.headers['x-idempotency-key'],
    body: sent ? JSON.parse(sent) : undefined,
  });
  const answer = answers[`${method} ${url?.split('?')[0]}`]?.shift();
  if (answer === undefined)
    response.writeHead(404).end('{"success":false,"code":"NOT_FOUND","error":"Nothing."}');
  else if (answer === 'lost') response.destroy();
  else response.end(JSON.stringify(answer));
});

let run: DataDirectoryLock | undefined;
beforeAll(async () => {
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  run = lockDataDirectory(dataDir);
  // Listening on a TCP port, the address is never a path.
  run?.setUrls({ api: `http://127.0.0.1:${(api.address() as AddressInfo).port}` });
});
afterAll(() => {
  run?.release();
  api.close();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  asked = [];
});
afterEach(() => {
  // Everything that a test prepared was asked for.
  expect(Object.values(answers).flat()).toEqual([]);
});

const winnow = (args: string[], input = '') =>
  runCommand(process.execPath, [entry, ...args], {
    cwd: dataDir,
    settings: { WINNOW_DATA_DIR: dataDir, WINNOW_CACHE_DIR: dataDir, WINNOW_API_KEY: 'fc-test' },
    timeoutMs: 150_000,
    input,
  });

describe('ask', () => {
  it('prints the answer, and the parameters that help', async () => {
    const fix = { fixParameters: { waitFor: 5000 }, validation: { result: 'success' } };
    answers = { 'POST /v2/support/ask': [{ answer: 'It is late.', ...fix }] };
    const { exitCode, stdout } = await winnow(['ask', 'Why is it empty?', '--job', '1']);
    expect([exitCode, stdout]).toEqual([0, 'It is late.\nParameters: {"waitFor":5000} (test: success)\n']);
    expect(asked[0]?.body).toEqual({ question: 'Why is it empty?', jobId: '1', origin: 'cli' });
  });

  it('prints the answer of the guides, and where it stands, with --docs', async () => {
    const evidence = [{ pathOrUrl: 'http://a.test/docs/guides/map', reason: 'It is there.' }];
    answers = { 'POST /v2/support/docs-search': [{ answer: 'Use map.', evidence }] };
    const { stdout } = await winnow(['ask', 'How?', '--docs']);
    expect(stdout).toBe('Use map.\nhttp://a.test/docs/guides/map\n');
  });
});

describe('map', () => {
  const answer = {
    success: true,
    id: '1',
    links: [{ url: 'http://a.test/', title: 'A' }, { url: 'http://a.test/b' }],
  };

  it('prints one URL per line', async () => {
    answers = { 'POST /v2/map': [{ ...answer, warning: 'Few were found.' }] };
    const { exitCode, stdout, stderr } = await winnow(['map', 'http://a.test']);
    expect(stdout).toBe('http://a.test/\nhttp://a.test/b\n');
    expect(stderr).toBe('Warning: Few were found.\n');
    expect(exitCode).toBe(0);
  });

  it('passes its options on, and prints the whole response with --json', async () => {
    answers = { 'POST /v2/map': [answer] };
    const { exitCode, stdout } = await winnow([
      ...['map', 'http://a.test', '--search', 'b c', '--limit', '9', '--sitemap', 'only', '--no-subdomains'],
      ...['--no-ignore-query', '--ignore-cache', '--timeout', '5000', '--json', '-o', 'map.json'],
    ]);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(JSON.parse(readFileSync(join(dataDir, 'map.json'), 'utf8'))).toEqual(answer);
    expect(asked[0]?.body).toEqual({
      url: 'http://a.test',
      search: 'b c',
      limit: 9,
      sitemap: 'only',
      includeSubdomains: false,
      ignoreQueryParameters: false,
      ignoreCache: true,
      timeout: 5000,
      origin: 'cli',
    });
  });

  it('exits with 1 when the API reports a failure', async () => {
    answers = { 'POST /v2/map': [{ success: false, code: 'MAP_TIMEOUT', error: 'It took too long.' }] };
    expect(await winnow(['map', 'http://a.test'])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'It took too long.\n',
    });
  });
});

describe('a crawl', () => {
  const head = { success: true, total: 1, completed: 1, creditsUsed: 1, data: [{ markdown: '# A' }] };

  it('that failed exits with 1 and its reason, after its documents were printed', async () => {
    answers = {
      'POST /v2/crawl': [{ success: true, id: '7', promptGeneratedOptions: { limit: 3 } }],
      'GET /v2/crawl/7': [{ ...head, status: 'failed', error: 'The start is gone.', warning: 'Few pages.' }],
    };
    const { exitCode, stdout, stderr } = await winnow(['crawl', 'http://a.test', '--prompt', 'three pages']);
    expect(stdout).toBe('{"markdown":"# A"}\n');
    expect(stderr).toBe(
      'The prompt was interpreted as {"limit":3}.\nThe crawl 7 has failed: 1 of 1 pages, 1 credits.\n' +
        'Warning: Few pages.\nThe crawl failed: The start is gone.\n',
    );
    expect(exitCode).toBe(1);
    expect(asked[0]?.body).toEqual({
      url: 'http://a.test',
      prompt: 'three pages',
      origin: 'cli',
      scrapeOptions: { formats: ['markdown'], onlyMainContent: true },
    });
  });

  it('whose start lost its connection is started again with the same idempotency key', async () => {
    answers = {
      'POST /v2/crawl': ['lost', { success: true, id: '7' }],
      'GET /v2/crawl/7': [{ ...head, status: 'completed' }],
    };
    const { exitCode, stderr } = await winnow(['crawl', 'http://a.test']);
    expect(stderr).toMatch(
      /^Winnow is not reachable \(.+\); trying again for 60 s\.\nWinnow is reachable again\.\n/,
    );
    expect(exitCode).toBe(0);
    expect(asked[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(asked[1]).toEqual(asked[0]);
  });

  it('that can no longer be followed is named, and the JSON output stays valid', async () => {
    answers = { 'POST /v2/crawl': [{ success: true, id: '7' }] };
    const { exitCode, stdout, stderr } = await winnow(['crawl', 'http://a.test', '--json']);
    expect(JSON.parse(stdout)).toEqual({ data: [], success: false, error: 'Nothing.' });
    expect(stderr).toBe('The crawl 7 continues, but this command no longer follows it.\nNothing.\n');
    expect(exitCode).toBe(1);
  });

  it('lists the first of many failed pages', async () => {
    const errors = Array.from({ length: 12 }, (_, n) => ({
      url: `http://a.test/${n}`,
      code: 'X',
      error: 'No.',
    }));
    answers = {
      'POST /v2/crawl': [{ success: true, id: '7' }],
      'GET /v2/crawl/7': [{ ...head, status: 'completed', total: 13 }],
      'GET /v2/crawl/7/errors': [{ errors, robotsBlocked: [] }],
    };
    const { exitCode, stderr } = await winnow(['crawl', 'http://a.test']);
    expect(stderr).toContain('12 pages without a document:\n  X http://a.test/0: No.\n');
    expect(stderr).toMatch(
      /\/9: No\.\n {2}… http:\/\/127\.0\.0\.1:\d+\/v2\/crawl\/7\/errors lists all of them\.\n$/,
    );
    expect(exitCode).toBe(0);
  });
});

it('a batch that could be started only in part is cancelled', async () => {
  answers = {
    'POST /v2/batch/scrape': [
      { success: true, id: '8', invalidURLs: [] },
      { success: false, code: 'INSUFFICIENT_CREDITS', error: 'No credits.' },
    ],
    'DELETE /v2/batch/scrape/8': [{ status: 'cancelled' }],
  };
  const input = Array.from({ length: 1100 }, (_, n) => `http://a.test/${n}/${'x'.repeat(8000)}`).join('\n');
  const { exitCode, stderr } = await winnow(['batch', '--file', '-'], input);
  expect(stderr).toBe('Cancelled the batch 8.\nNo credits.\n');
  expect(exitCode).toBe(1);
  expect(asked[1]?.body).toMatchObject({ appendToId: '8', urls: expect.any(Array) });
});

describe('search', () => {
  const answer = {
    success: true,
    id: '1',
    warning: 'Engines were silent.',
    data: {
      web: [{ title: 'A', url: 'http://a.test/', description: 'It is A.', position: 1 }],
      images: [{ title: 'B', imageUrl: 'http://b.test/1.png', url: 'http://b.test/', position: 1 }],
    },
  };

  it('prints title, URL and description of each result', async () => {
    answers = { 'POST /v2/search': [answer] };
    const { exitCode, stdout, stderr } = await winnow(['search', 'two words']);
    expect(stdout).toBe('A\nhttp://a.test/\nIt is A.\n\nB\nhttp://b.test/1.png\n\n');
    expect([exitCode, stderr]).toEqual([0, 'Warning: Engines were silent.\n']);
  });

  it('passes its options on, and prints the whole response with formats', async () => {
    answers = { 'POST /v2/search': [answer] };
    const { stdout } = await winnow([
      ...[
        'search',
        'two words',
        '--limit',
        '9',
        '--sources',
        'web,news',
        '--categories',
        'pdf',
        '-f',
        'links',
      ],
      ...['--exclude-domains', 'a.test,b.test', '--tbs', 'qdr:w', '--timeout', '5000'],
    ]);
    expect(JSON.parse(stdout)).toEqual(answer);
    expect(asked[0]?.body).toEqual({
      query: 'two words',
      limit: 9,
      sources: ['web', 'news'],
      categories: ['pdf'],
      tbs: 'qdr:w',
      excludeDomains: ['a.test', 'b.test'],
      timeout: 5000,
      origin: 'cli',
      scrapeOptions: { formats: ['links'] },
    });
  });
});
