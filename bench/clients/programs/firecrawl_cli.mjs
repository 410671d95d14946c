/** Runs the commands of the command line that ask the service; those that set up a machine are left out. */

import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { announce, given, refused, step } from './steps.mjs';

const home = await mkdtemp(path.join(tmpdir(), 'winnow-client-'));
const program = path.join(import.meta.dirname, 'node_modules/firecrawl-cli/dist/index.js');
const env = {
  ...process.env,
  HOME: home,
  FIRECRAWL_API_URL: given.url,
  FIRECRAWL_API_KEY: given.key,
  FIRECRAWL_NO_TELEMETRY: '1',
};

/** Runs a command. Returns what it prints on both outputs; rejects with it if the command fails. */
const run = (...args) =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...args], { env, cwd: home }, (error, out, err) =>
      error ? reject(new Error(`${out}${err}`)) : resolve(`${out}${err}`),
    );
  });
const command = (name, args, ...texts) => step(name, () => run(...name.split(' '), ...args), ...texts);
const idIn = (text) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text ?? '')?.[0];

announce(
  `--status;scrape;crawl;map;parse;search;developer;research search-papers;feedback;search-feedback;agent;interact;
interact stop;monitor create;monitor list;monitor get;monitor update;monitor run;monitor checks;monitor check;
monitor delete;credit-usage;doctor;browser launch-session;browser execute;browser list;browser close`
    .split(';')
    .map((name) => name.trim()),
);
const { page, site, schema } = given;
await step('--status', () => run('--status'), 'Credits');
await command('scrape', [page], 'noon');
await command('scrape', [page, '--schema', JSON.stringify(schema), '-f', 'json'], 'noon');
const scraped = await command('scrape', [page, '-f', 'markdown,links', '--json'], 'noon');
await command('crawl', [site, '--wait', '--limit', '3', '--poll-interval', '1'], 'noon');
await command('map', [site], '/lamp');
await command('parse', [given.file], 'noon');
const found = await command('search', [given.query, '--json'], page);
await refused('developer', () => run('developer', 'node'), 'not available');
await refused('research search-papers', () => run('research', 'search-papers', 'ferries'), 'not available');
const job = idIn(scraped);
await command('feedback', ['scrape', job, '--rating', 'bad', '--note', 'short']);
await command('search-feedback', [
  ...[idIn(found), '--rating', 'bad', '--query-suggestions', 'pier', '--missing-content', 'pier'],
]);
await command(
  'agent',
  [
    'When does it depart?',
    '--urls',
    page,
    '--wait',
    '--poll-interval',
    '1',
    '--schema',
    JSON.stringify(schema),
  ],
  'noon',
);
await command('interact', ['-s', job, '-c', 'await page.title()'], 'Ferries');
await command('interact stop', [job]);
const monitor = idIn(
  await command('monitor create', ['--name', 'Ferries', '--schedule', 'hourly', '--page', page], 'Ferries'),
);
await command('monitor list', [], monitor);
await command('monitor get', [monitor], 'Ferries');
await command('monitor update', [monitor, '--state', 'paused'], 'paused');
const check = JSON.parse(await command('monitor run', [monitor]));
const id = check.data?.id ?? check.id;
await command('monitor checks', [monitor], id);
await command('monitor check', [monitor, id], id);
await command('monitor delete', [monitor]);
await command('credit-usage', [], 'redits');
await command('doctor', [job]);
const session = idIn(await command('browser launch-session', []));
await command('browser list', [], session);
await command('browser execute', ['--python', 'print(6 * 7)'], '42');
await command('browser close', []);
