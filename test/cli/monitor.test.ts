import { afterAll, beforeAll, expect, it } from 'vitest';
import { runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';

/** The verbs of `monitor` against the shared service. */

const service = useService();
const db = useDatabase();
let site: Pages;
let price = 12;
let team: TestTeam;

beforeAll(async () => {
  team = await makeTeam(db);
  site = await startPages({
    '/': (_request, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(`<!doctype html><title>Shop</title><main><p>The lamp costs ${price} euros.</p></main>`),
  });
});
afterAll(() => site?.[Symbol.asyncDispose]());

const winnow = (...args: string[]) =>
  runInProcess(['monitor', ...args], {
    settings: { WINNOW_URL: service.url, WINNOW_API_KEY: team.key },
  });

it('creates a monitor, tells what changed, pauses, resumes and deletes it', async () => {
  expect(await winnow('list')).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringContaining('The team has no monitors.'),
  });
  const created = await winnow(
    ...['create', `${site.url}/`, '--name', 'Lamp', '--schedule', '0 9 * * *', '--ignore', 'dates'],
    ...['--ignore-pattern', '^Seen', '--ignore-pattern', '^Ad', '--failure-threshold', '3'],
  );
  expect(created).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^It checks next at \S+T09:00:00/m),
  });
  const id = created.stdout.trim();
  const shown = JSON.parse((await winnow('show', id, '--json')).stdout);
  expect(shown).toMatchObject({
    name: 'Lamp',
    schedule: { cron: '0 9 * * *', timezone: 'UTC' },
    targets: [
      {
        urls: [`${site.url}/`],
        changeDetection: { ignore: ['dates'], ignorePatterns: ['^Seen', '^Ad'], failureThreshold: 3 },
      },
    ],
    checks: [],
  });
  expect(await winnow('diff', id)).toMatchObject({ exitCode: 0, stdout: '' });
  const rotated = (await winnow('rotate-feed', id)).stdout.trim();
  expect(rotated).not.toBe(shown.feedUrl);
  expect(JSON.parse((await winnow('show', id, '--json')).stdout).feedUrl).toBe(rotated);

  const first = await winnow('run', id);
  expect(first).toMatchObject({
    exitCode: 0,
    stdout: `new      ${site.url}/\n`,
    stderr: expect.stringContaining('The check is completed: 1 new.'),
  });
  price = 9;
  expect((await winnow('run', id)).stdout).toBe(`changed  ${site.url}/\n`);
  expect(await winnow('run', id)).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('The check is completed: 1 same.'),
  });
  // The last check that found something is the one before.
  expect((await winnow('diff', id)).stdout).toMatch(
    /^changed {2}http[^\n]+\n[\s\S]*\n-The lamp costs 12 euros\.\n\+The lamp costs 9 euros\./,
  );
  const { checks } = JSON.parse((await winnow('show', id, '--json')).stdout);
  const [from, to] = [checks.at(-1).id, checks[0].id];
  expect((await winnow('diff', id, '--from', from, '--to', to)).stdout).toContain(
    '-The lamp costs 12 euros.',
  );
  expect(await winnow('diff', id, '--from', to, '--to', to)).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('Nothing differs between the checks.'),
  });
  expect(await winnow('series', id)).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('found data'),
  });
  for (const args of [
    ['judge', id, '--goal', 'A lower price'],
    ['ask', id, 'When was it cheapest?'],
  ])
    expect(await winnow(...args)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('needs a language model'),
    });
  expect((await winnow('pause', id)).stdout).toBe(`${id} is paused.\n`);
  expect((await winnow('list')).stdout).toMatch(new RegExp(`^${id} +Lamp +paused +1 same$`, 'm'));
  expect((await winnow('resume', id)).stdout).toMatch(/ is active and checks next at \S+T09:00:00/);
  expect((await winnow('delete', id)).stdout).toBe(`${id} is deleted.\n`);
  expect(await winnow('show', id)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(id) });
});

it('exits with 1 where a check could read no page, and shows it', async () => {
  const id = (await winnow('create', `${site.url}/none`)).stdout.trim();
  expect(await winnow('run', id)).toMatchObject({
    exitCode: 1,
    stdout: `error    ${site.url}/none  (The page responded with HTTP 404.)\n`,
  });
  expect((await winnow('show', id)).stdout).toMatch(/^check +status[^\n]*\n\S+ +failed .* 1 error$/m);
});

it('watches sites and searches without a goal', async () => {
  const { stdout } = await winnow('create', site.url, '--crawl', '--limit', '7', '--query', 'two words');
  const { name, targets, judgeEnabled } = JSON.parse((await winnow('show', stdout.trim(), '--json')).stdout);
  expect({ name, targets, judgeEnabled }).toMatchObject({
    name: site.url,
    targets: [
      { type: 'crawl', url: site.url, crawlOptions: { limit: 7 } },
      { type: 'search', queries: ['two words'] },
    ],
    judgeEnabled: false,
  });
});

it.each([
  [['create'], /There is nothing to watch: provide URLs, or a --query/],
  [['create', 'http://a.test', '--schedule', 'now and then'], /--schedule.*is not a schedule/],
  [['create', 'http://a.test', '--retention-days', '0'], /--retention-days must be at least 1/],
  [['show', 'none'], /"none" is not the id of a monitor/],
])('%j says what is wrong', async (args, said) => {
  const { exitCode, stdout, stderr } = await winnow(...args);
  expect(stderr).toMatch(said);
  expect([exitCode, stdout]).toEqual([2, '']);
});
