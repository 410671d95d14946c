import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished, startJob, untilStatus } from '../support/api/jobs.ts';
import { readWacz } from '../support/documents/web-archives.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** The documents of batches and crawls as files. */

const BATCH = '/v2/batch/scrape';
const service = useService();
const db = useDatabase();
const page = (name: string) => `<title>${name}</title><main><p>The text of ${name}.</p></main>`;
const held: ServerResponse[] = [];
let pages: Awaited<ReturnType<typeof startPages>>;
let workDir: string;
let id: string;

beforeAll(async () => {
  workDir = await mkdtemp(path.join(tmpdir(), 'winnow-export-'));
  pages = await startPages({
    '/one': page('one'),
    '/two': page('two'),
    '/three': page('three'),
    '/held': (_request, response) => void held.push(response),
  });
  const urls = ['one', 'two', 'three'].map((name) => `${pages.url}/${name}`);
  id = await startJob(BATCH, { urls, formats: ['markdown', 'rawHtml'], maxAge: 0 });
  await finished(BATCH, id);
});
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await rm(workDir, { recursive: true });
});

const download = (resource: string, key = service.key) =>
  fetch(`${service.url}${resource}`, { headers: { Authorization: `Bearer ${key}` } });
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('an export', () => {
  it('has the documents of a job, in the order of its status, under the name of the job', async () => {
    const response = await download(`${BATCH}/${id}/export`);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toContain(`batch-${id}.jsonl`);
    const { body } = await call(`${BATCH}/${id}`);
    expect(linesOf(await response.text())).toEqual(body.data);
  });

  it('goes on after the documents that a client has', async () => {
    const whole = await (await download(`${BATCH}/${id}/export`)).text();
    const rest = await (await download(`${BATCH}/${id}/export?format=jsonl&skip=2`)).text();
    expect(rest).toBe(whole.split('\n').slice(2).join('\n'));
    expect(await (await download(`${BATCH}/${id}/export?skip=3`)).text()).toBe('');
  });

  it('is a table or a web archive', async () => {
    const table = await (await download(`${BATCH}/${id}/export?format=parquet`)).arrayBuffer();
    const rows = await parquetReadObjects({ file: table });
    expect(rows.map(({ title }) => title).toSorted()).toEqual(['one', 'three', 'two']);
    const archive = await download(`${BATCH}/${id}/export?format=warc`);
    expect(archive.headers.get('content-disposition')).toContain('.warc.gz');
    expect((await archive.bytes()).subarray(0, 2)).toEqual(Uint8Array.of(0x1f, 0x8b));
    const wacz = await download(`${BATCH}/${id}/export?format=wacz`);
    expect(wacz.headers.get('content-type')).toBe('application/wacz');
    const { pages: listed } = await readWacz(Buffer.from(await wacz.arrayBuffer()));
    expect(listed.map(({ title }) => title).toSorted()).toEqual(['one', 'three', 'two']);
  });

  it('of a job that runs has what there is', async () => {
    const running = await startJob(BATCH, { urls: [`${pages.url}/one`, `${pages.url}/held`], maxAge: 0 });
    await untilStatus(`${BATCH}/${running}`, ({ completed }) => completed === 1);
    const text = await (await download(`${BATCH}/${running}/export`)).text();
    expect(linesOf(text).map(({ metadata }) => metadata.title)).toEqual(['one']);
    await call(`${BATCH}/${running}`, { method: 'DELETE' });
    for (const response of held) response.end(page('held'));
  });

  it('of a job with zero data retention is readable for its team', async () => {
    const { key } = await makeTeam(db, { zeroDataRetention: true });
    const body = { urls: [`${pages.url}/one`], zeroDataRetention: true, maxAge: 0 };
    const sealed = await startJob(BATCH, body, { key });
    await finished(BATCH, sealed, { key });
    const text = await (await download(`${BATCH}/${sealed}/export`, key)).text();
    expect(linesOf(text)).toMatchObject([{ markdown: expect.stringContaining('The text of one') }]);
  });

  it.each([
    [
      () => `${BATCH}/${id}/export?format=csv`,
      400,
      /format must be one of "jsonl", "parquet", "warc", "wacz"/,
    ],
    [() => `${BATCH}/${id}/export?skip=-1`, 400, /skip must be a whole number/],
    [() => `${BATCH}/${id}/export?formats=warc`, 400, /formats\. Did you mean format/],
    [() => `${BATCH}/0190a6e0-0000-7000-8000-000000000000/export`, 404, /has no batch/],
    [() => `/v2/crawl/${id}/export`, 404, /batch/],
    [() => `${BATCH}/nonsense/export`, 400, /is not a UUID/],
  ])('refuses %s', async (resource, status, message) => {
    const response = await call(resource());
    expect(response.status).toBe(status);
    expect(response.body.error).toMatch(message);
  });

  it('is for nobody else', async () => {
    const { key } = await makeTeam(db);
    expect((await call(`${BATCH}/${id}/export`, { key })).status).toBe(404);
    expect((await call(`${BATCH}/${id}/export`, { key: null })).status).toBe(401);
  });
});

describe('the command export', () => {
  const run = (...args: string[]) =>
    runInProcess(['export', ...args], { settings: { WINNOW_DATA_DIR: service.dataDir }, cwd: workDir });

  it('writes the documents to stdout or to a file', async () => {
    const { exitCode, stdout } = await run(id);
    expect([exitCode, linesOf(stdout).length]).toEqual([0, 3]);
    expect((await run(id, '--format', 'parquet', '-o', 'pages.parquet')).exitCode).toBe(0);
    const bytes = await readFile(path.join(workDir, 'pages.parquet'));
    expect(await parquetReadObjects({ file: new Uint8Array(bytes).buffer })).toHaveLength(3);
    expect(existsSync(path.join(workDir, 'pages.parquet.part'))).toBe(false);
  });

  it('adds what a file lacks, and refuses one whose last line is not whole', async () => {
    const { stdout } = await run(id);
    const file = path.join(workDir, 'pages.jsonl');
    await writeFile(file, `${stdout.split('\n')[0]}\n`);
    expect((await run(id, '-o', 'pages.jsonl', '--continue')).exitCode).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(stdout);
    await writeFile(file, stdout.slice(0, -5));
    const broken = await run(id, '-o', 'pages.jsonl', '--continue');
    expect([broken.exitCode, broken.stderr]).toEqual([2, expect.stringContaining('is not whole')]);
  });

  it('says which job there is not', async () => {
    const { exitCode, stderr } = await run('0190a6e0-0000-7000-8000-000000000000', '-o', 'none.parquet');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('0190a6e0-0000-7000-8000-000000000000')]);
  });
});
