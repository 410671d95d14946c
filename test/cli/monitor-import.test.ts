import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cronOfInterval } from '../../src/cli/monitor-import/imported-monitor.ts';
import { faultOfRecurrence, nextRunAfter } from '../../src/schedules/recurrence.ts';
import { call } from '../support/api/call.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';

/** Monitors by the lists of other programs. */

const service = useService();
const db = useDatabase();
let directory: string;
let team: TestTeam;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-import-'));
  team = await makeTeam(db);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function importList(name: string, content: string | Uint8Array, ...args: string[]) {
  const file = path.join(directory, name);
  await writeFile(file, content);
  return runInProcess(['monitor', 'import', file, ...args], {
    settings: { WINNOW_URL: service.url, WINNOW_API_KEY: team.key },
  });
}
const monitorsOf = async () => (await call('/v2/monitor?limit=100', { key: team.key })).body.data;

const WATCHES = {
  settings: {
    headers: { 'Accept-Language': 'de' },
    application: { tags: { 'tag-1': { title: 'Shops' }, 'tag-2': { title: ' Lamps ' } } },
    requests: { time_between_check: { weeks: null, days: null, hours: 3, minutes: null, seconds: null } },
  },
  watching: {
    one: {
      url: 'https://shop.example/lamp',
      title: 'Lamp',
      time_between_check: { minutes: 45 },
      headers: { 'X-Shop': '1' },
      include_filters: ['#price', 'xpath://div'],
      subtractive_selectors: ['.ad'],
      ignore_text: ['Seen by (all)', '/visitors: \\d+/i'],
      sort_text_alphabetically: true,
      webdriver_delay: 3,
      trigger_text: ['sale'],
      tags: ['tag-2', 'tag-1', 'tag-3'],
      processor: 'text_json_diff',
      paused: true,
    },
    two: {
      url: 'https://shop.example/two',
      time_between_check_use_default: true,
      tag: 'Old, Older',
      processor: 'sound_diff',
    },
    three: { url: 'ftp://shop.example/three' },
  },
};

it('imports the watches of changedetection.io, and reports what has no counterpart', async () => {
  const { stdout, stderr, exitCode } = await importList('url-watches.json', JSON.stringify(WATCHES));
  expect(stdout).toMatch(
    /^[\da-f-]{36} {2}Lamp\n {2}- checks every 30 minutes instead of every 45 minutes\n {2}- the selector xpath:\/\/div is not CSS\n {2}- the tag tag-3, whose title is not in the file\n {2}- text that triggers;/,
  );
  expect(stdout).toContain('https://shop.example/two\n  - the processor sound_diff\n');
  expect(stdout).toContain('skipped  ftp://shop.example/three\n  - is no page on the web');
  expect([stderr.includes('2 of 3 were imported.'), exitCode]).toEqual([true, 1]);
  const [two, one] = await monitorsOf();
  expect(one).toMatchObject({
    name: 'Lamp',
    tags: ['Lamps', 'Shops'],
    status: 'paused',
    schedule: { cron: expect.stringMatching(/^\d+-59\/30 \* \* \* \*$/) },
    targets: [
      {
        urls: ['https://shop.example/lamp'],
        scrapeOptions: {
          includeTags: ['#price'],
          excludeTags: ['.ad'],
          headers: { 'Accept-Language': 'de', 'X-Shop': '1' },
          waitFor: 3_000,
        },
        changeDetection: { ignore: ['order'], ignorePatterns: ['Seen by \\(all\\)', '(?i)visitors: \\d+'] },
      },
    ],
  });
  expect(two).toMatchObject({
    name: 'https://shop.example/two',
    tags: ['Old', 'Older'],
    status: 'active',
    schedule: { cron: expect.stringMatching(/^\d+ [012]-23\/3 \* \* \*$/) },
  });
});

it('imports the jobs of urlwatch', async () => {
  const list = `name: News
url: https://news.example/
headers: { X-Reader: "1" }
cookies: { session: abc }
filter:
  - css: { selector: "main li", exclude: ".date" }
  - grepi: "^Updated"
  - html2text
  - sort
  - xpath: //div
diff_tool: wdiff
---
navigate: https://app.example/
filter: "element-by-id:content,strip"
---
command: ls
`;
  const before = (await monitorsOf()).length;
  const dry = await importList('urls.yaml', list, '--dry-run');
  expect(dry.stdout).toMatch(/^\d+ \d+ \* \* \* {2}News\n {2}- the filter xpath: \/\/div\n {2}- diff_tool\n/);
  expect(dry.stderr).toContain('2 of 3 would be imported.');
  expect(await monitorsOf()).toHaveLength(before);
  await importList('urls.yaml', list, '--timezone', 'Europe/Berlin');
  const [app, news] = await monitorsOf();
  expect(news).toMatchObject({
    name: 'News',
    schedule: { timezone: 'Europe/Berlin' },
    targets: [
      {
        scrapeOptions: {
          includeTags: ['main li'],
          excludeTags: ['.date'],
          headers: { 'X-Reader': '1', Cookie: 'session=abc' },
        },
        changeDetection: { ignore: ['order'], ignorePatterns: ['^Updated'] },
      },
    ],
  });
  expect(app.targets[0].scrapeOptions.includeTags).toEqual(['[id="content"]']);
});

it('says what a list is that it cannot read', async () => {
  expect((await importList('x.json', '{"a":1}')).stderr).toContain('no watches of changedetection.io');
  expect((await importList('x.yaml', 'a: [')).stderr).toContain('The file is no YAML');
  expect((await importList('x.zip', 'PK\u0003\u0004')).stderr).toContain('The backup cannot be read');
});

it.each([60, 300, 1_200, 5_400, 10_800, 86_400, 604_800, 2_592_000])(
  'checks about as often as every %s seconds',
  (seconds) => {
    const { cron } = cronOfInterval(seconds, `https://shop.example/${seconds}`);
    const recurrence = { cron, timezone: 'UTC' };
    expect(faultOfRecurrence(recurrence)).toBeUndefined();
    const first = nextRunAfter(recurrence)!;
    const interval = (nextRunAfter(recurrence, first)!.getTime() - first.getTime()) / 1_000;
    expect(Math.abs(interval - Math.min(Math.max(seconds, 300), 604_800))).toBeLessThan(seconds / 2);
  },
);
