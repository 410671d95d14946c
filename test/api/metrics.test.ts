import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DASHBOARD = 'deploy/grafana/winnow.json';
const RULES = 'deploy/prometheus/rules.yml';
const DOCS = 'docs/operations.md';
const METRIC = /\b(?:winnow|temporal|process|nodejs)_[a-z\d_]*[a-z\d]/g;
/** Served only to the operator. */
const OF_OPERATORS = new Set(['winnow_team_sessions']);

/** The labels that a metric of ours may have: each has few values, which we have chosen. */
const LABELS = new Set(
  `address direction disk engine feature for kind language le method of outcome process reason role route stage state
   status tool verdict`.split(/\s+/),
);

const service = useService();
const db = useDatabase();
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

async function readMetrics(): Promise<string> {
  const response = await fetch(`${service.url}/metrics`);
  expect(response.status).toBe(200);
  return response.text();
}

/** The sum of all samples of a metric that have these labels. */
function sumOf(text: string, name: string, labels: Record<string, string> = {}): number {
  const samples = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return samples
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** The names of samples without the endings that a histogram adds. */
const nameOf = (sample: string) => sample.replace(/_(bucket|sum|count)$/, '');
const served = (text: string) => new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));

let before: string;
beforeAll(async () => {
  before = await readMetrics();
});

it('metrics of the dashboard, the alerts and the documentation are served', async () => {
  const names = served(before);
  for (const path of [DASHBOARD, RULES, DOCS]) {
    const used = [...new Set(read(path).match(METRIC))].filter((name) => !OF_OPERATORS.has(name));
    expect(used.length, path).toBeGreaterThan(10);
    expect(
      used.filter((name) => !names.has(name) && !names.has(nameOf(name))),
      path,
    ).toEqual([]);
  }
});

it('metrics of the service are all documented', () => {
  const documented = new Set(read(DOCS).match(METRIC));
  const own = [...served(before)].filter((name) => name.startsWith('winnow_'));
  expect(own.length).toBeGreaterThan(30);
  expect(own.filter((name) => !documented.has(name))).toEqual([]);
});

it('metrics count pages, jobs, credits and refusals, and name no team, key or URL', async () => {
  await using site = await startPages({ '/secret-path': '<title>A page</title><p>Some text.</p>' });
  const team = await makeTeam(db);
  const url = `${site.url}/secret-path`;
  const scrape = (target: string) => call('/v2/scrape', { key: team.key, body: { url: target, maxAge: 0 } });
  expect(await scrape(url)).toMatchObject({ status: 200 });
  expect(await scrape('http://10.1.2.3/')).toMatchObject({ body: { code: 'unsafe_domain_blocked' } });
  const { body } = await call('/v2/batch/scrape', { key: team.key, body: { urls: [url], maxAge: 0 } });
  await pollUntil(async () => {
    const { body: status } = await call(`/v2/batch/scrape/${body.id}`, { key: team.key });
    return status.status === 'completed';
  });

  const grown = (name: string, labels: Record<string, string>, text: string) =>
    sumOf(text, name, labels) - sumOf(before, name, labels);
  const after = await pollUntil(async () => {
    const text = await readMetrics();
    return grown('winnow_jobs_total', { kind: 'batch_scrape', outcome: 'completed' }, text) >= 1 && text;
  });
  const leastGrowth: [name: string, labels: Record<string, string>, least: number][] = [
    ['winnow_pages_total', { engine: 'http', outcome: 'completed' }, 2],
    ['winnow_pages_total', { outcome: 'failed' }, 1],
    ['winnow_page_stage_seconds_count', { stage: 'fetch' }, 2],
    ['winnow_page_stage_seconds_count', { stage: 'render' }, 2],
    ['winnow_page_stage_seconds_count', { stage: 'store' }, 2],
    ['winnow_page_cache_total', {}, 2],
    ['winnow_jobs_total', { kind: 'scrape', outcome: 'completed' }, 1],
    ['winnow_jobs_total', { kind: 'scrape', outcome: 'failed' }, 1],
    ['winnow_credits_total', { kind: 'scrape' }, 1],
    ['winnow_credits_total', { kind: 'batch_scrape' }, 1],
    ['winnow_egress_refusals_total', { address: 'private' }, 1],
    ['temporal_activity_execution_latency_seconds_count', { activity_type: 'scrapePages' }, 1],
  ];
  for (const [name, labels, least] of leastGrowth)
    expect(grown(name, labels, after), `${name} ${JSON.stringify(labels)}`).toBeGreaterThanOrEqual(least);

  for (const text of ['secret-path', site.url, team.name, team.id, team.key, service.key, '10.1.2.3'])
    expect(after).not.toContain(text);
  const own = after.split('\n').filter((line) => line.startsWith('winnow_'));
  const labels = new Set(
    own.flatMap((line) => [...line.matchAll(/[{,]([a-z_]+)="/g)].map(([, label]) => label!)),
  );
  expect([...labels].filter((label) => !LABELS.has(label))).toEqual([]);
});

it('metrics tell the state of the service', async () => {
  expect(sumOf(before, 'winnow_state_known')).toBe(1);
  expect(sumOf(before, 'winnow_migrations', { state: 'missing' })).toBe(0);
  expect(sumOf(before, 'winnow_migrations', { state: 'applied' })).toBeGreaterThan(40);
  expect(sumOf(before, 'winnow_disk_bytes', { of: 'free' })).toBeGreaterThan(0);
  expect(sumOf(before, 'winnow_database_bytes')).toBeGreaterThan(1_000_000);
  expect(sumOf(before, 'winnow_database_connections', { process: 'worker', state: 'limit' })).toBe(20);
});
