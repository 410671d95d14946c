import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFaults } from './support/layers.ts';

const source = path.join(import.meta.dirname, '..', 'src');

function readSources(): Record<string, string> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  return Object.fromEntries(
    files.map((file) => [file.split(path.sep).join('/'), readFileSync(path.join(source, file), 'utf8')]),
  );
}

describe('the house', () => {
  it('keeps its rows and doors', () => {
    expect(findFaults(readSources())).toEqual([]);
  });

  it('names a planted fault', () => {
    const planted = {
      'html/links.ts': "import { openDatabase } from '../db/client.ts';",
      'api/scrape.ts': "import { chromium } from 'playwright-core';",
      'workflows/scrape.ts': "import { z } from 'zod';",
      'workflows/crawl.ts': "import { priceOf } from '../credits.ts';",
      'formats/summary.ts': "export { openBlobs } from '../blobs.ts';",
      'gadgets/thing.ts': 'export const home = process.env.HOME;',
      'blobs/index.ts': "const s3 = await import('pg');",
    };
    expect(findFaults(planted)).toEqual([
      'html/links.ts: html may not import db, which stands above or beside it',
      'api/scrape.ts: playwright-core is for browser only',
      'workflows/scrape.ts: workflows may not run zod',
      'workflows/crawl.ts: workflows may not run credits',
      'formats/summary.ts: formats may not import blobs, which stands above or beside it',
      'gadgets/thing.ts: no row names the module gadgets',
      'gadgets/thing.ts: reads the environment; config.ts does that',
      'blobs/index.ts: pg is for db only',
    ]);
  });

  it('lets types through where only running is forbidden', () => {
    expect(
      findFaults({ 'workflows/scrape.ts': "import type { Activities } from '../activities/index.ts';" }),
    ).toEqual([]);
  });
});
