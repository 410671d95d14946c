import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { postJson } from '../../../src/cli/api-client.ts';
import { formatResult } from '../../../src/cli/scrape-output.ts';
import { runCommand } from '../../../src/run/embedded/command.ts';
import { lockDataDirectory } from '../../../src/run/embedded/supervision/run-file.ts';
import { runInProcess } from '../../support/service/command-line.ts';
import { sampleOf } from '../../support/suite/corpus.ts';

const entry = join(import.meta.dirname, '../../../bin/winnow.js');
const dataDir = mkdtempSync(join(tmpdir(), 'winnow-cli-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const settings = { WINNOW_DATA_DIR: dataDir, WINNOW_CACHE_DIR: dataDir, WINNOW_API_KEY: 'fc-test' };
const winnow = (...args: string[]) =>
  runCommand(process.execPath, [entry, ...args], { settings, timeoutMs: 150_000 });

test.each(
  sampleOf(
    [
      [['frobnicate'], /`winnow frobnicate` is not a command\. Commands: up, scrape/],
      [['--frob'], /Unknown option '--frob'/],
      [['scrape'], /URL/],
      [['scrape', 'http://a.test', 'b'], /Unexpected argument 'b'/],
      [['scrape', 'http://a.test', '--timeout', 'soon'], /--timeout must be a whole number, not 'soon'/],
      [['scrape', 'http://a.test', '--header', 'no colon'], /'name: value'/],
    ],
    3,
  ),
)('%j is rejected as wrong usage', async (args, reason) => {
  const { exitCode, stderr, stdout } = await runInProcess([...args], { settings });
  expect(stderr).toMatch(reason);
  expect(stdout).toBe('');
  expect(exitCode).toBe(2);
});

test('an invalid setting is named', async () => {
  const { exitCode, stderr } = await runCommand(process.execPath, [entry, 'doctor'], {
    settings: { PORT: 'many' },
  });
  expect(stderr).toContain('PORT');
  expect(exitCode).toBe(2);
});

test('doctor names the Temporal of the settings without its password', async () => {
  const { stdout } = await runCommand(process.execPath, [entry, 'doctor'], {
    settings: { TEMPORAL_ADDRESS: 'winnow:hidden/password@127.0.0.1:7233' },
  });
  expect(stdout).toMatch(/^ok +Temporal +at 127\.0\.0\.1:7233 \(from TEMPORAL_ADDRESS\)$/m);
  expect(stdout).not.toContain('hidden');
});

test('help is printed on stdout, and that of up lists the settings', async () => {
  const all = await winnow('--help');
  expect(all).toMatchObject({ exitCode: 0, stderr: '' });
  expect(all.stdout).toContain('scrape');
  const up = await runInProcess(['up', '--help'], { settings });
  expect(up.stdout).toMatch(/WINNOW_DATA_DIR +directory/);
  expect((await runInProcess(['scrape', '--help'], { settings })).stdout).toMatch(/--only-main-content/);
});

test('a command uses the running instance, and prints only the result on stdout', async () => {
  const asked: unknown[] = [];
  const api = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push(request.url, request.headers.authorization, JSON.parse(body));
      response.end(
        JSON.stringify({ success: true, data: { markdown: '# Hello', metadata: { statusCode: 404 } } }),
      );
    });
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const address = api.address();
  const run = lockDataDirectory(dataDir);
  run?.setUrls({ api: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` });
  try {
    const result = await winnow(
      'scrape',
      'http://a.test',
      '--no-only-main-content',
      '-H',
      'a: 1',
      '-H',
      'b:2',
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: '# Hello\n' });
    expect(result.stderr).toContain('the page responded with status 404');
    expect(asked).toEqual([
      '/v2/scrape',
      'Bearer fc-test',
      {
        url: 'http://a.test',
        formats: ['markdown'],
        onlyMainContent: false,
        headers: { a: '1', b: '2' },
        origin: 'cli',
      },
    ]);
    const second = await winnow('up');
    expect(second).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`is already running on ${dataDir}`),
    });
  } finally {
    run?.release();
    api.close();
  }
});

test('one format is printed as it is, several as JSON, and --json prints the whole response', () => {
  const answer = {
    success: true as const,
    data: { markdown: '# A\n', links: ['http://b.test'], metadata: {} },
  };
  expect(formatResult(answer, ['markdown'], false)).toBe('# A\n');
  expect(JSON.parse(formatResult(answer, ['links'], false))).toEqual(['http://b.test']);
  expect(JSON.parse(formatResult(answer, ['markdown', 'links'], false))).toEqual(answer.data);
  expect(JSON.parse(formatResult(answer, ['markdown'], true))).toEqual(answer);
});

test('an error response keeps its code, and an unreachable URL is SERVICE_UNAVAILABLE', async () => {
  const api = createServer((_request, response) =>
    response
      .writeHead(200)
      .end('{"success":false,"code":"SCRAPE_DNS_RESOLUTION_ERROR","error":"no such name"}'),
  );
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const address = api.address();
  const target = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    apiKey: 'fc-test',
  };
  const { signal } = new AbortController();
  await expect(postJson(target, '/v2/scrape', {}, signal)).rejects.toMatchObject({
    code: 'SCRAPE_DNS_RESOLUTION_ERROR',
    message: 'no such name',
  });
  await new Promise((resolve) => api.close(resolve));
  await expect(postJson(target, '/v2/scrape', {}, signal)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});
