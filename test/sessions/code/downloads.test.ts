import { readdir, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { deleteDirectory } from '../../../src/system/child-processes/delete-directory.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';
import { type CodeSession, startCodeSession } from './code-session.ts';
import { runs } from './installed-languages.ts';

/** The files of downloads as code sees them. */

/** The files of the site, a different one for each test. */
const NAMES = ['invoice', 'saved', 'taken', 'python', 'bash'] as const;

describe.skipIf(!runs.node)('code finds the file of a download', () => {
  let site: Pages;
  let session: CodeSession;
  /** A page with a link to a file, whose text says how often it was served. */
  const pagesOf = (name: string): [string, string | RequestListener][] => {
    let served = 0;
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${name}.pdf"`,
    };
    return [
      [`/${name}`, `<a id=link href=/${name}.pdf>a file</a>`],
      [`/${name}.pdf`, (_request, response) => response.writeHead(200, headers).end(`${name} ${++served}`)],
    ];
  };
  beforeAll(async () => {
    site = await startPages(Object.fromEntries(NAMES.flatMap(pagesOf)));
    session = await startCodeSession();
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    for (const name of await readdir(session.browser.directory.downloads))
      await deleteDirectory(join(session.browser.directory.downloads, name));
  });

  test('in JavaScript, where Playwright names it, and each under a name of its own', async () => {
    const code = `
      const fs = require('node:fs');
      await page.goto('${site.url}/invoice');
      const found = [];
      for (let count = 0; count < 3; count++) {
        const [download] = await Promise.all([page.waitForEvent('download'), page.click('#link')]);
        const chunks = [];
        for await (const chunk of await download.createReadStream()) chunks.push(chunk);
        await download.saveAs('/tmp/saved');
        found.push([
          download.suggestedFilename(),
          fs.readFileSync(await download.path(), 'utf8'),
          Buffer.concat(chunks).toString(),
          fs.readFileSync('/tmp/saved', 'utf8'),
        ]);
      }
      [...found, fs.readdirSync('/downloads')]`;
    const { result, error } = await session.run(code);
    expect(error).toBeUndefined();
    const texts = [1, 2, 3].map((number) => Array.from({ length: 3 }, () => `invoice ${number}`));
    expect(JSON.parse(result)).toEqual([
      ['invoice.pdf', ...texts[0]!],
      ['invoice (1).pdf', ...texts[1]!],
      ['invoice (2).pdf', ...texts[2]!],
      ['invoice (1).pdf', 'invoice (2).pdf', 'invoice.pdf'],
    ]);
  });

  test('which stays when it is saved under the same name, and when the code leaves the browser', async () => {
    const code = `
      await page.goto('${site.url}/saved');
      const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#link')]);
      await saved.saveAs('/downloads/' + saved.suggestedFilename());
      await browser.close();
      require('node:fs').readFileSync('/downloads/saved.pdf', 'utf8')`;
    expect(await session.run(code)).toMatchObject({ result: 'saved 1' });
    expect(await readdir(session.browser.directory.downloads)).toEqual(['saved.pdf']);
  });

  test('beside a file of that name which code has written meanwhile', async () => {
    await writeFile(join(session.browser.directory.downloads, 'taken.pdf'), 'of code', { mode: 0o644 });
    const code = `
      await page.goto('${site.url}/taken');
      const [other] = await Promise.all([page.waitForEvent('download'), page.click('#link')]);
      const { readFileSync } = require('node:fs');
      [readFileSync(await other.path(), 'utf8'), readFileSync('/downloads/taken.pdf', 'utf8')]`;
    expect(await session.run(code)).toMatchObject({ result: '["taken 1","of code"]' });
  });

  test.skipIf(!runs.python)('in Python', async () => {
    const code = `
await page.goto('${site.url}/python')
async with page.expect_download() as info:
    await page.click('#link')
download = await info.value
open(await download.path()).read() + ' as ' + download.suggested_filename`;
    const { result, error } = await session.run(code, { language: 'python' });
    expect({ result, error }).toMatchObject({ result: 'python 1 as python.pdf' });
  });

  test.skipIf(!runs.bash)('with agent-browser, which names it itself or is told where it is', async () => {
    const bash = (code: string) => session.run(code, { language: 'bash' });
    await bash(`agent-browser open '${site.url}/bash'`);
    expect((await bash("agent-browser download '#link' /downloads/mine.pdf")).result).toContain(
      'saved to /downloads/mine.pdf',
    );
    expect((await bash('cat /downloads/mine.pdf')).result).toBe('bash 1');
    await bash("agent-browser click '#link'");
    expect((await bash('agent-browser wait --download')).result).toContain(
      'saved to /downloads/bash (1).pdf',
    );
    expect((await bash('cat "/downloads/bash (1).pdf"')).result).toBe('bash 2');
  });
});
