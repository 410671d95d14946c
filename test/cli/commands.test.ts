import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../src/run/embedded/command.ts';
import { articleTruth } from '../site/site.ts';
import { call } from '../support/api/call.ts';
import { type CommandOutput, runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';
import { useSite } from '../support/sites/use-site.ts';
import { sampleOf } from '../support/suite/corpus.ts';

/** The command line against the shared service, as a user types it. */

const service = useService();

const entry = path.join(import.meta.dirname, '../../bin/winnow.js');
const truth = articleTruth(61);

const site = useSite();
let workDir: string;
beforeAll(async () => {
  workDir = await mkdtemp(path.join(tmpdir(), 'winnow-cli-'));
});
afterAll(() => rm(workDir, { recursive: true, force: true }));

const winnow = (args: string[], settings: Record<string, string> = {}) =>
  runCommand(process.execPath, [entry, ...args], {
    cwd: workDir,
    settings: { WINNOW_DATA_DIR: service.dataDir, ...settings },
    timeoutMs: 150_000,
  });

/** The same within this process, for the commands of which there are many cases. */
const winnowHere = (args: string[]): Promise<CommandOutput> =>
  runInProcess(args, { settings: { WINNOW_DATA_DIR: service.dataDir } });

describe('scrape', () => {
  it('prints one format as it is, and nothing else on stdout', async () => {
    const { exitCode, stdout } = await winnow(['scrape', `${site.url}/article/61`]);
    expect(stdout).toMatch(/^# /m);
    expect(stdout).toContain(truth.firstSentence);
    expect(stdout.endsWith('\n')).toBe(true);
    expect(exitCode).toBe(0);
    const html = await winnow(['scrape', `${site.url}/article/61`, '-f', 'rawHtml']);
    expect(html.stdout).toMatch(/^<!doctype html>/i);
  });

  it('prints several formats as JSON, and a list as JSON', async () => {
    const several = JSON.parse(
      (await winnow(['scrape', `${site.url}/article/61`, '--formats', 'markdown,links'])).stdout,
    );
    expect(several.markdown).toContain(truth.firstSentence);
    expect(several.links.length).toBeGreaterThan(0);
    expect(several.metadata.statusCode).toBe(200);
    const links = JSON.parse((await winnow(['scrape', `${site.url}/article/61`, '-f', 'links'])).stdout);
    expect(links).toEqual(several.links);
  });

  it('prints the whole response with --json', async () => {
    const answer = JSON.parse((await winnow(['scrape', `${site.url}/article/61`, '--json'])).stdout);
    expect(answer).toMatchObject({
      success: true,
      data: { metadata: { sourceURL: `${site.url}/article/61` } },
    });
  });

  it('writes into a file with -o', async () => {
    const { exitCode, stdout } = await winnow(['scrape', `${site.url}/article/61`, '-o', 'page.md']);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(await readFile(path.join(workDir, 'page.md'), 'utf8')).toContain(truth.firstSentence);
  });

  it('passes options on', async () => {
    const { stdout } = await winnow([
      ...['scrape', `${site.url}/headers`, '-f', 'rawHtml', '--max-age', '0'],
      ...['-H', 'X-One: 1', '-H', 'X-Two:two: 2'],
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ 'x-one': '1', 'x-two': 'two: 2' });
    const cut = await winnow([
      ...[
        'scrape',
        `${site.url}/article/61`,
        '--include-tags',
        'h1',
        '--wait-for',
        '10',
        '--timeout',
        '150000',
      ],
      ...['--no-only-main-content', '--mobile'],
    ]);
    expect(cut.stdout.trim()).toBe(`# ${truth.title}`);
  });

  it('prints a page with an error status as a result and warns on stderr', async () => {
    const { exitCode, stdout, stderr } = await winnow(['scrape', `${site.url}/status/404`]);
    expect(stdout).toContain('Status 404');
    expect(stderr).toContain('Warning: the page responded with status 404 (Not Found).');
    expect(exitCode).toBe(0);
  });
});

describe('exit codes', () => {
  it('is 1 when the job failed', async () => {
    const { exitCode, stdout, stderr } = await winnow(['scrape', 'http://no-such-host.invalid/']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('no-such-host.invalid');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect((await winnow(['scrape', `${site.url}/reset`])).exitCode).toBe(1);
  });

  const wrongUsages: [string[], RegExp][] = [
    [['scrape', 'ftp://example.com'], /unsupported protocol: ftp/],
    [['scrape', 'http://example.com', '-f', 'nonsense'], /unknown format "nonsense"/],
    [['scrape', 'http://example.com', '--timeout', '5'], /timeout must be at least 1000/],
    [['scrape', 'http://example.com', '--frob'], /Unknown option '--frob'/],
    [['team', 'create', 'x', '--credits', '-1'], /'--credits' needs a value that does not begin with -/],
    [['scrape', 'http://example.com', '--format', 'html'], /Did you mean --formats=<a,b>\?/],
    [['scraep', 'http://example.com'], /Did you mean scrape\? Commands: up/],
    [['frobnicate'], /`winnow frobnicate` is not a command/],
    [['team', 'frobnicate'], /`winnow team frobnicate` is not a command\. Commands: create, list/],
    [['team'], /`winnow team` needs a command/],
    [['key', 'create'], /NAME/],
    [['team', 'set', 'default'], /There is nothing to change/],
    [['team', 'set', 'default', '--zero-data-retention', 'yes'], /--zero-data-retention must be on or off/],
    [['team', 'set', 'default', '--concurrency', '0'], /--concurrency must be at least 1/],
    [['team', 'set', 'default', '--concurrency', 'many'], /--concurrency must be a whole number/],
    [['team', 'create', 'default'], /exists already/],
  ];
  it.each(sampleOf(wrongUsages, 3))('is 2 for the wrong usage %j', async (args, reason) => {
    const { exitCode, stdout, stderr } = await winnowHere(args);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect([exitCode, stdout]).toEqual([2, '']);
  });

  it('is 2 when the API key is not valid', async () => {
    const { exitCode, stderr } = await winnow(['scrape', 'http://example.com'], {
      WINNOW_API_KEY: 'fc-wrong',
    });
    expect(stderr).toContain('Unauthorized');
    expect(exitCode).toBe(2);
  });

  it('is 3 when the database cannot be reached', async () => {
    const { exitCode, stderr } = await winnow(['team', 'list'], {
      DATABASE_URL: 'postgres://nobody:x@127.0.0.1:9/none',
    });
    expect(stderr).toContain('The database does not respond');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(exitCode).toBe(3);
  });
});

describe('teams and keys', () => {
  const table = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  it('are created, listed, changed and revoked', async () => {
    const name = `cli-${Date.now()}`;
    const made = table((await winnowHere(['team', 'create', name, '--credits', '2'])).stdout);
    const columns = [
      'name',
      'credits',
      'requests/min',
      'concurrency',
      'sessions',
      'open jobs',
      'monitors',
      'stored MiB',
      'model tokens/day',
      'zero data retention',
      'created',
      'id',
    ];
    expect(made[0]).toEqual(columns);
    expect(made[1]?.slice(0, 5)).toEqual([name, '2', '5000', '50', '20']);
    expect(made[1]?.slice(5, 10)).toEqual(['unlimited', 'default', 'unlimited', 'unlimited', 'off']);

    const created = await winnowHere(['key', 'create', 'laptop', '--team', name]);
    const key = created.stdout.trim();
    expect(key).toMatch(/^fc-[0-9a-f]{32}$/);
    const body = { url: `${site.url}/article/61` };
    expect((await call('/v2/scrape', { key, body })).status).toBe(200);
    expect(table((await winnowHere(['team', 'show', name])).stdout)[1]?.[1]).toBe('1');

    await winnowHere(['team', 'set', name, '--rate-limit', '7', '--concurrency', '3', '--sessions', '4']);
    await winnowHere(['team', 'set', name, '--zero-data-retention', 'on', '--model-tokens', '9000']);
    await winnowHere(['team', 'set', name, '--open-jobs', '5', '--monitors', '6', '--stored-mb', '700']);
    await winnowHere(['team', 'credits', name, 'unlimited']);
    const rows = table((await winnowHere(['team', 'list'])).stdout);
    expect(rows.map(([first]) => first)).toEqual(expect.arrayContaining(['default', name]));
    expect(rows.find(([first]) => first === name)?.slice(1, 10)).toEqual([
      ...['unlimited', '7', '3', '4', '5', '6', '700', '9000', 'on'],
    ]);

    const taken = await winnowHere(['key', 'create', 'laptop', '--team', name]);
    expect([taken.exitCode, taken.stdout]).toEqual([2, '']);
    expect((await winnowHere(['key', 'revoke', 'laptop', '--team', name])).exitCode).toBe(0);
    expect((await call('/v2/scrape', { key, body })).status).toBe(401);
    const other = (await winnowHere(['key', 'create', 'server', '--team', name])).stdout.trim();
    expect((await call('/v2/team/credit-usage', { key: other })).status).toBe(200);
    const revoked = await winnowHere(['key', 'revoke', other]);
    expect([revoked.exitCode, revoked.stdout]).toEqual([0, `server of ${name} is revoked.\n`]);
    expect((await call('/v2/team/credit-usage', { key: other })).status).toBe(401);
    const keys = (await winnowHere(['key', 'list', '--team', name])).stdout;
    expect(keys).toContain(`…${key.slice(-4)}`);
    expect(keys).not.toContain(key);
    expect(table(keys)[1]?.[3]).toMatch(/^\d{4}-/);
  });

  const unknownNames: [string, string[], RegExp][] = [
    ['a team', ['team', 'show', 'nobody'], /No team is named nobody/],
    ['the team of a key', ['key', 'list', '--team', 'nobody'], /No team is named nobody/],
    ['a key', ['key', 'revoke', 'nothing'], /no valid key named nothing/],
    ['a key that is given as itself', ['key', 'revoke', 'fc-0'], /no valid key named fc-0/],
    ['a profile', ['profile', 'delete', 'nothing'], /no profile named nothing/],
  ];
  it.each(sampleOf(unknownNames, 2))('name %s that does not exist', async (_name, args, reason) => {
    const { exitCode, stderr } = await winnowHere(args);
    expect(stderr).toMatch(reason);
    expect(exitCode).toBe(1);
  });
});

it('profiles are shown and deleted', async () => {
  const body = { url: `${site.url}/article/61`, profile: { name: 'from-cli' } };
  expect((await call('/v2/scrape', { body })).status).toBe(200);
  expect((await winnowHere(['profile', 'list'])).stdout).toMatch(/^from-cli +[1-9]\d* +\d{4}-/m);
  expect((await winnowHere(['profile', 'delete', 'from-cli'])).exitCode).toBe(0);
  expect((await winnowHere(['profile', 'list'])).stdout).not.toContain('from-cli');
});

describe('help', () => {
  const verbs = [
    [],
    ...['up', 'scrape', 'crawl', 'batch', 'map', 'search', 'extract', 'agent', 'ask'].map((verb) => [verb]),
    ...['setup', 'doctor', 'migrate', 'openapi'].map((verb) => [verb]),
    ...['team', 'key'].map((verb) => [verb]),
    ...['create', 'list', 'show', 'set', 'credits'].map((verb) => ['team', verb]),
    ...['create', 'list', 'revoke'].map((verb) => ['key', verb]),
    ...[['profile'], ['profile', 'list'], ['profile', 'delete']],
    ...['create', 'list', 'show', 'run', 'pause', 'resume', 'delete', 'diff'].map((verb) => [
      'monitor',
      verb,
    ]),
  ];

  it.each(sampleOf(verbs, 8).map((verb) => [verb]))('is there for %j, on stdout', async (verb) => {
    const { exitCode, stdout, stderr } = await winnowHere([...verb, '--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(['USAGE winnow', ...verb].join(' '));
  });

  it.each([[[]], [['scrape']], [['team', 'create']]])('is the same with `help`: %j', async (verb) => {
    const [asked, plain] = [await winnowHere(['help', ...verb]), await winnowHere([...verb, '--help'])];
    expect(asked).toEqual({ ...plain, exitCode: 0 });
  });

  it('refuses a verb that there is not', async () => {
    const { exitCode, stderr } = await winnowHere(['help', 'frobnicate']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is not a command')]);
  });

  it('names every verb', async () => {
    const { stdout } = await winnowHere(['--help']);
    for (const [verb] of verbs) if (verb) expect(stdout).toMatch(new RegExp(`^ +${verb} `, 'm'));
  });
});

it('--version prints the version of the package', async () => {
  const { version } = JSON.parse(
    await readFile(path.join(import.meta.dirname, '../../package.json'), 'utf8'),
  );
  expect(await winnowHere(['--version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
});

it('openapi prints what the service serves', async () => {
  const { stdout } = await winnow(['openapi']);
  expect(JSON.parse(stdout)).toEqual((await call('/openapi.json')).body);
});

it('migrate succeeds on a database that is up to date', async () => {
  const { exitCode, stdout } = await winnow(['migrate']);
  expect([exitCode, stdout]).toEqual([0, 'The database has been migrated to this version.\n']);
});
