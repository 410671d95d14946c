import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBuiltPatterns } from './support/architecture/built-patterns.ts';
import {
  findCycles,
  findViolations,
  LAYERS_PAGE,
  packagesLoadedBy,
  withLayersTable,
} from './support/architecture/layers.ts';

function readSources(directory = 'src'): Record<string, string> {
  const source = path.join(import.meta.dirname, '..', directory);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  return Object.fromEntries(
    files.map((file) => [file.split(path.sep).join('/'), readFileSync(path.join(source, file), 'utf8')]),
  );
}

describe('a pattern from outside', () => {
  it('is never compiled to a native regular expression, which may take exponential time', () => {
    expect(findBuiltPatterns(readSources())).toEqual([]);
  });

  it.each([
    ['new RegExp(pattern)', true],
    ['new RegExp(`^$' + '{name}$`)', true],
    ["new RegExp('a' + name)", true],
    ['new RegExp(\n  pattern,\n)', true],
    ["new RegExp('^a`b$', 'u')", false],
    ['new RegExp(`^a$`)', false],
  ])('that is compiled by %s is found: %s', (code, isFound) => {
    const found = findBuiltPatterns({ ...readSources(), 'gadgets/thing.ts': code });
    expect(found).toEqual(isFound ? ['gadgets/thing.ts: builds a native regular expression'] : []);
  });
});

describe('the layers', () => {
  it('are respected by every import', () => {
    expect(findViolations(readSources())).toEqual([]);
  });

  it('of an invalid import are reported', () => {
    const planted = {
      'content/html/links.ts': "import { openDatabase } from '../../storage/db/client.ts';",
      'api/scrape.ts': "import { chromium } from 'playwright';",
      'workflows/scrape.ts': "import { z } from 'zod';",
      'workflows/crawl.ts': "import { priceOf } from '../credits.ts';",
      'content/formats/summary.ts': "export { openBlobs } from '../rendering/render.ts';",
      'gadgets/thing.ts':
        "const home = process.env.HOME; setInterval(tick, 1); server.listen(80); server.on('upgrade', accept);",
      'storage/blobs/index.ts': "const s3 = await import('pg');",
    };
    expect(findViolations(planted)).toEqual([
      'content/html/links.ts: content/html may not import storage/db, which is not in a lower layer',
      'api/scrape.ts: playwright is for fetch/browser, sessions only',
      'workflows/scrape.ts: workflows may not run zod',
      'workflows/crawl.ts: workflows may not run credits',
      'content/formats/summary.ts: content/formats may not import content/rendering, which is not in a lower layer',
      'gadgets/thing.ts: no layer names the module gadgets',
      'gadgets/thing.ts: reads the environment; config.ts does that',
      'gadgets/thing.ts: uses a timer or server without every() of system/every.ts, which reports its errors',
      'gadgets/thing.ts: uses a timer or server without listen() of system/server.ts, which reports its errors',
      'gadgets/thing.ts: uses a timer or server without onUpgrade() of system/server.ts, which reports its errors',
      'storage/blobs/index.ts: pg is for storage/db only',
    ]);
  });

  it('let workflows import types of lower layers', () => {
    expect(
      findViolations({ 'workflows/scrape.ts': "import type { Activities } from '../activities/index.ts';" }),
    ).toEqual([]);
  });

  it('are listed in docs/layers.md as they are checked; `npm run docs` writes them', () => {
    const page = readFileSync(LAYERS_PAGE, 'utf8');
    expect(page).toBe(withLayersTable(page));
  });
});

describe('files', () => {
  it.each(['src', 'bench', 'test'])(
    'of %s state the fields of objects plainly, without folding them into spreads',
    (directory) => {
      const folded = Object.entries(readSources(directory)).filter(([, text]) => /^\s*\.\.\.\{/m.test(text));
      expect(folded.map(([file]) => file)).toEqual([]);
    },
  );

  it.each(['src', 'bench', 'test'])('of %s never import each other in a circle', (directory) => {
    expect(findCycles(readSources(directory))).toEqual([]);
  });

  it('that import each other in a circle are reported', () => {
    const planted = {
      'html/page.ts': "import { readLinks } from './links.ts';",
      'html/links.ts': "import { isPlain } from './text.ts';\nimport type { Place } from '../url/place.ts';",
      'url/place.ts': "export type { Page } from '../html/page.ts';",
    };
    expect(findCycles(planted)).toEqual(['html/page.ts → html/links.ts → url/place.ts → html/page.ts']);
  });
});

describe('the memory of processes at rest', () => {
  it('contains only the libraries that the supervisor needs', () => {
    expect(packagesLoadedBy(readSources(), 'cli/commands/up-command.ts')).toEqual(['citty', 'zod']);
  });

  it('contains no code that converts pages or serves guides in the API', () => {
    const packages = packagesLoadedBy(readSources(), 'server.ts');
    expect(packages).not.toContain('@temporalio/worker');
    expect(
      packages.filter((name) => /^(?:parse5|htmlparser2|micromark|minisearch|stopword|tldts)/.test(name)),
    ).toEqual([]);
  });

  it('contains no code that reads PDF files in the worker', () => {
    const packages = packagesLoadedBy(readSources(), 'worker.ts');
    expect(packages.filter((name) => /liteparse|pdf-parse/.test(name))).toEqual([]);
  });

  it('counts what a program loads at its start, and not types or what it loads when needed', () => {
    const planted = {
      'main.ts': "import { start } from './start.ts';\nimport type { Client } from 'pg';",
      'start.ts': "import { z } from 'zod';\nconst load = () => import('undici');",
    };
    expect(packagesLoadedBy(planted, 'main.ts')).toEqual(['zod']);
  });
});
