import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { samplesOf } from '../support/docs/samples.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';

/** The programs in the guides, as readers run them: only the service, the key and the site are their own. */

const ROOT = path.join(import.meta.dirname, '../..');
const RUN: Record<string, (text: string) => [file: string, args: string[]]> = {
  sh: (text) => ['bash', ['-c', text]],
  js: (text) => [process.execPath, ['--input-type=module', '-e', text]],
  python: (text) => ['python3', ['-c', text]],
};

const service = useService();
const db = useDatabase();
let team: TestTeam;
let site: Pages;
let folder: string;
beforeAll(async () => {
  team = await makeTeam(db);
  site = await startPages({ '/': '<title>Tea</title><main><h1>Tea</h1><p>A tea of the hills.</p></main>' });
  folder = mkdtempSync(path.join(tmpdir(), 'winnow-guides-'));
  // The type of a file is known by its bytes.
  writeFileSync(path.join(folder, 'report.pdf'), '<!doctype html><h1>Report</h1><p>Sales were good.</p>');
});
afterAll(async () => {
  const { data } = (await call('/v2/browser', { key: team.key })).body;
  for (const { id } of data ?? []) await call(`/v2/browser/${id}`, { method: 'DELETE', key: team.key });
  await site[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** What a program prints. */
async function run(language: string, text: string): Promise<string> {
  const own = text
    .replaceAll('http://127.0.0.1:3002', service.url)
    .replaceAll('fc-YOUR-KEY', team.key)
    .replaceAll('https://example.com', site.url);
  const [file, args] = RUN[language]!(own);
  return (await promisify(execFile)(file, args, { cwd: folder })).stdout;
}

/** What each program prints at least, where that is not its success. */
const PRINTED: Record<string, RegExp> = {
  errors: /SCRAPE_DNS_RESOLUTION_ERROR/,
  troubleshooting: /confidence/,
};

describe.each(globSync('docs/guides/*.md', { cwd: ROOT }).map((page) => path.basename(page, '.md')))(
  'the guide %s',
  (name) => {
    const samples = samplesOf(readFileSync(path.join(ROOT, `docs/guides/${name}.md`), 'utf8'));
    it.runIf(samples.length > 0)('has programs that run', async () => {
      for (const { language, text } of samples)
        expect(await run(language, text), language).toMatch(PRINTED[name] ?? /success["']?: ?true/i);
    });
  },
);
