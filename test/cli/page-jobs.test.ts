import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../src/run/embedded/command.ts';
import { articleTruth, linkSentence } from '../site/site.ts';
import { call } from '../support/api/call.ts';
import { finished } from '../support/api/jobs.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';
import { useSite } from '../support/sites/use-site.ts';
import { sampleOf } from '../support/suite/corpus.ts';

/** The verbs `crawl` and `batch` against the shared service, as a user types them. */

const service = useService();

const entry = path.join(import.meta.dirname, '../../bin/winnow.js');

const site = useSite({ pages: 60 });
let workDir: string;
beforeAll(async () => {
  workDir = await mkdtemp(path.join(tmpdir(), 'winnow-cli-'));
});
afterAll(() => rm(workDir, { recursive: true, force: true }));

const winnow = (args: string[], input?: string) =>
  runCommand(process.execPath, [entry, ...args], {
    cwd: workDir,
    settings: { WINNOW_DATA_DIR: service.dataDir },
    timeoutMs: 150_000,
    ...(input !== undefined && { input }),
  });

/** A verb whose process is in the test's hands. */
const launched = (args: string[]) =>
  spawn(process.execPath, [entry, ...args], {
    cwd: workDir,
    env: { ...process.env, WINNOW_DATA_DIR: service.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

interface Line {
  markdown?: string;
  links?: string[];
  metadata: { sourceURL: string };
}
const parseLines = (stdout: string): Line[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const addresses = (lines: Line[]) => lines.map(({ metadata }) => metadata.sourceURL).sort();

describe('crawl', () => {
  it('prints one document per line, and the summary on stderr', async () => {
    const { exitCode, stdout, stderr } = await winnow([
      'crawl',
      `${site.url}/links/0`,
      '--entire-domain',
      '--limit',
      '12',
    ]);
    const lines = parseLines(stdout);
    expect(new Set(addresses(lines)).size).toBe(12);
    for (const { markdown, metadata } of lines) {
      expect(markdown).toContain(linkSentence(Number(metadata.sourceURL.split('/').at(-1))));
    }
    expect(stderr).toMatch(/^The crawl [0-9a-f-]{36} is completed after .+: 12 of 12 pages, 12 credits\.$/m);
    expect(stderr).toMatch(/^Warning: .+robots\.txt/m);
    expect(exitCode).toBe(0);
  });

  it('passes its options on', async () => {
    const { stdout, exitCode } = await winnow([
      ...[
        'crawl',
        `${site.url}/links/0`,
        '--entire-domain',
        '--sitemap',
        'skip',
        '--max-depth',
        '1',
        '-f',
        'links',
      ],
      ...[
        '--include',
        '/links/[0-5]$',
        '--include',
        '/links/\\d{2}$',
        '--exclude',
        '/links/3',
        '--ignore-robots',
      ],
    ]);
    const lines = parseLines(stdout);
    expect(addresses(lines)).toEqual([0, 1, 10, 2, 4, 5].map((n) => `${site.url}/links/${n}`));
    expect(lines[0]).toMatchObject({ links: expect.any(Array) });
    expect(lines[0]?.markdown).toBeUndefined();
    expect(exitCode).toBe(0);
  });

  it('writes one JSON object with --json, into a file with -o', async () => {
    const args = [
      'crawl',
      `${site.url}/links/0`,
      '--entire-domain',
      '--limit',
      '3',
      '--json',
      '-o',
      'site.json',
    ];
    const { exitCode, stdout } = await winnow(args);
    expect([exitCode, stdout]).toEqual([0, '']);
    const answer = JSON.parse(await readFile(path.join(workDir, 'site.json'), 'utf8'));
    expect(answer).toMatchObject({ success: true, status: 'completed', total: 3, completed: 3 });
    expect(new Set(addresses(answer.data)).size).toBe(3);
    expect(answer.next).toBeUndefined();
  });

  it('is cancelled by Ctrl-C, and keeps the documents it has', async () => {
    const crawl = launched(['crawl', `${site.url}/links/0`, '--entire-domain', '--delay', '1']);
    const said = Promise.all([text(crawl.stdout), text(crawl.stderr)]);
    crawl.stdout.once('data', () => crawl.kill('SIGINT'));
    const [exitCode] = await once(crawl, 'exit');
    const [stdout, stderr] = await said;
    const id = /^Cancelled the crawl (.+)\.$/m.exec(stderr)?.[1];
    const { body } = await call(`/v2/crawl/${id}`);
    expect(body.status).toBe('cancelled');
    const printed = addresses(parseLines(stdout));
    expect(printed.length).toBeGreaterThan(0);
    expect(printed.length).toBeLessThan(60);
    // A page that was under way may still have come in afterwards.
    expect(addresses(body.data)).toEqual(expect.arrayContaining(printed));
    expect(exitCode).toBe(130);
  });

  it('is cancelled when the reader closes the pipe', async () => {
    const crawl = launched(['crawl', `${site.url}/links/0`, '--entire-domain', '--delay', '1']);
    const stderr = text(crawl.stderr);
    await once(crawl.stdout, 'data');
    crawl.stdout.destroy();
    const [exitCode] = await once(crawl, 'exit');
    const id = /^Cancelled the crawl (.+)\.$/m.exec(await stderr)?.[1];
    expect((await call(`/v2/crawl/${id}`)).body.status).toBe('cancelled');
    expect(exitCode).toBe(0);
  });

  it('exits with --detach while the job continues', async () => {
    const { exitCode, stdout } = await winnow([
      'crawl',
      `${site.url}/links/0`,
      '--entire-domain',
      '--limit',
      '2',
      '--detach',
    ]);
    expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    // The next test looks for the only crawl of the site that runs.
    expect(await finished('/v2/crawl', stdout.trim())).toMatchObject({ status: 'completed', completed: 2 });
    expect(exitCode).toBe(0);
  });

  it('exits with 1 when the job was cancelled by another client', async () => {
    const active = async (): Promise<{ id: string; url: string }[]> =>
      (await call('/v2/crawl/active')).body.crawls;
    // Crawls of earlier tests may be ending.
    const earlier = (await active()).map(({ id }) => id);
    const crawl = launched(['crawl', `${site.url}/links/0`, '--entire-domain', '--delay', '1']);
    const stderr = text(crawl.stderr);
    await once(crawl.stdout, 'data');
    const id = (await active()).find(({ id, url }) => url.startsWith(site.url) && !earlier.includes(id))?.id;
    expect((await call(`/v2/crawl/${id}`, { method: 'DELETE' })).status).toBe(200);
    const [exitCode] = await once(crawl, 'exit');
    expect(await stderr).toContain(`The crawl ${id} was cancelled`);
    expect(exitCode).toBe(1);
  });
});

describe('batch', () => {
  it('reads URLs from a file and names the lines that are not URLs', async () => {
    const lines = [`${site.url}/article/1`, '', 'no address', `  ${site.url}/article/2\r`];
    await writeFile(path.join(workDir, 'urls.txt'), `\uFEFF${lines.join('\n')}\n`);
    const { exitCode, stdout, stderr } = await winnow([
      ...['batch', `${site.url}/article/3`, `${site.url}/article/4`, '--file', 'urls.txt'],
    ]);
    const documents = parseLines(stdout);
    expect(addresses(documents)).toEqual([1, 2, 3, 4].map((n) => `${site.url}/article/${n}`));
    for (const { markdown, metadata } of documents) {
      const { firstSentence } = articleTruth(Number(metadata.sourceURL.split('/').at(-1)));
      expect(markdown).toContain(firstSentence);
    }
    expect(stderr).toContain('These lines were left out because they are not valid URLs: no address.');
    expect(exitCode).toBe(0);
  });

  it('reads URLs from standard input, and lists failed pages without failing itself', async () => {
    const input = `${site.url}/article/1\nhttp://no-such-host.invalid/\n`;
    const { exitCode, stdout, stderr } = await winnow(['batch', '--file', '-', '-o', 'pages.jsonl'], input);
    expect([exitCode, stdout]).toEqual([0, '']);
    const documents = parseLines(await readFile(path.join(workDir, 'pages.jsonl'), 'utf8'));
    expect(addresses(documents)).toEqual([`${site.url}/article/1`]);
    expect(stderr).toContain('1 of 2 pages');
    expect(stderr).toMatch(
      /1 page without a document:\n +SCRAPE_DNS_RESOLUTION_ERROR http:\/\/no-such-host\.invalid\//,
    );
  });

  it('appends URLs to the same job when one request cannot hold them all', async () => {
    const long = 'x'.repeat(8000);
    const input = Array.from({ length: 1100 }, (_, n) => `no address ${n} ${long}`).join('\n');
    const { exitCode, stdout, stderr } = await winnow(
      ['batch', `${site.url}/article/1`, `${site.url}/article/2`, '--file', '-', '--detach'],
      `${input}\n${site.url}/article/5\n`,
    );
    expect(stderr).toContain(', and 1090 more.');
    expect(exitCode).toBe(0);
    expect((await call(`/v2/batch/scrape/${stdout.trim()}`)).body.total).toBe(3);
  });
});

it.each(
  sampleOf(
    [
      [['batch'], /nothing to scrape/],
      [['batch', '--file', 'absent.txt'], /absent\.txt/],
      [['batch', '::'], /No valid URLs provided/],
      [['crawl'], /URL/],
      [['crawl', 'ftp://example.com'], /unsupported protocol: ftp/],
      [['crawl', 'http://a.test', 'b'], /Unexpected argument 'b'/],
      [['crawl', 'http://a.test', '--limit', 'all'], /--limit must be a whole number/],
      [['crawl', 'http://a.test', '--delay', 'long'], /--delay must be seconds/],
      [
        ['crawl', 'http://a.test', '--sitemap', 'maybe'],
        /--sitemap \(maybe\)\. Expected one of: include, skip, only\. `/,
      ],
      [['crawl', 'http://a.test', '--include', '('], /The pattern "\("/],
      [
        ['crawl', 'http://a.test', '-o', 'absent/x'],
        /absent\/x cannot be written: its directory does not exist\.$/m,
      ],
      [['crawl', 'http://a.test', '--detach', '--json'], /--detach/],
    ],
    3,
  ),
)('%j is rejected as wrong usage', async (args, reason) => {
  const { exitCode, stdout, stderr } = await runInProcess([...args], {
    settings: { WINNOW_DATA_DIR: service.dataDir },
    cwd: workDir,
  });
  expect(stderr).toMatch(reason);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(existsSync(path.join(workDir, 'absent'))).toBe(false);
});
