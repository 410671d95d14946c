import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requireWritable } from '../../src/cli/output-file.ts';
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

it('a crawl none of whose pages has a document exits with 1', async () => {
  answers = {
    'POST /v2/crawl': [{ success: true, id: '7' }],
    'GET /v2/crawl/7': [
      { success: true, status: 'completed', total: 2, completed: 0, creditsUsed: 0, data: [] },
    ],
    'GET /v2/crawl/7/errors': [{ errors: [], robotsBlocked: [] }],
  };
  const { exitCode, stderr } = await winnow(['crawl', 'http://a.test']);
  expect(stderr).toContain('The crawl 7 is completed');
  expect(stderr).toContain('0 of 2 pages');
  expect(exitCode).toBe(1);
});

it.each([
  ['scrape', 'http://a.test'],
  ['map', 'http://a.test'],
  ['search', 'lamp'],
  ['parse', 'page.html'],
  ['extract', 'http://a.test'],
  ['agent', 'Who?'],
  ['crawl', 'http://a.test'],
  ['batch', 'http://a.test'],
])('%s refuses a file that cannot be written, before it asks for anything', async (...args) => {
  writeFileSync(join(dataDir, 'page.html'), '<p>A page</p>');
  const { exitCode, stdout, stderr } = await winnow([...args, '-o', 'absent/result']);
  expect([exitCode, stdout, asked]).toEqual([2, '', []]);
  expect(stderr).toContain('absent/result cannot be written: ');
});

it('a file of results stays as it is until there are some, and a new one is not left behind', () => {
  const [old, fresh] = [join(dataDir, 'old.md'), join(dataDir, 'fresh.md')];
  writeFileSync(old, 'earlier');
  for (const file of [old, fresh, undefined]) requireWritable(file);
  expect([readFileSync(old, 'utf8'), existsSync(fresh)]).toEqual(['earlier', false]);
  for (const file of [dataDir, '']) expect(() => requireWritable(file)).toThrow(/ cannot be written: /);
});

it('a result that cannot be written in the end is on stdout', async () => {
  answers = { 'POST /v2/map': [{ success: true, links: [{ url: 'http://a.test/1' }] }] };
  // Every write to it fails, as on a full disk.
  const { exitCode, stdout, stderr } = await winnow(['map', 'http://a.test', '-o', '/dev/full']);
  expect([exitCode, stdout]).toEqual([1, 'http://a.test/1\n']);
  expect(stderr).toContain('/dev/full could not be written: ');
});

it('a batch says how many URLs are doubled, and sends each once', async () => {
  answers = {
    'POST /v2/batch/scrape': [{ success: true, id: '8', invalidURLs: [] }],
  };
  const input = 'http://a.test/1\n'.repeat(200_001);
  const { exitCode, stdout, stderr } = await winnow(['batch', '--file', '-', '--detach'], input);
  expect([exitCode, stdout]).toEqual([0, '8\n']);
  expect(stderr).toBe('Doubled URLs: 200000 of 200001. Each URL is scraped and charged once.\n');
  expect(asked.map(({ body }) => body)).toEqual([expect.objectContaining({ urls: ['http://a.test/1'] })]);
});

it('a command uses the service that WINNOW_URL names, below its path', async () => {
  answers = { 'POST /behind/proxy/v2/map': [{ success: true, links: [] }] };
  const empty = mkdtempSync(join(tmpdir(), 'winnow-cli-'));
  // Listening on a TCP port, the address is never a path.
  const { port } = api.address() as AddressInfo;
  const settings = { WINNOW_DATA_DIR: empty, WINNOW_URL: `http://127.0.0.1:${port}/behind/proxy/` };
  const run = (more: Record<string, string>) =>
    runCommand(process.execPath, [entry, 'map', 'http://a.test'], {
      cwd: empty,
      settings: { ...settings, ...more },
      timeoutMs: 150_000,
    });
  const withoutKey = await run({});
  expect([withoutKey.exitCode, asked]).toEqual([2, []]);
  expect(withoutKey.stderr).toContain('Set WINNOW_API_KEY to one of its API keys');
  expect((await run({ WINNOW_API_KEY: 'fc-test' })).exitCode).toBe(0);
  rmSync(empty, { recursive: true, force: true });
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
