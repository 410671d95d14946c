import { execFile } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/console/playground/operations.ts';
import { writeSnippets } from '../../src/console/playground/snippets/index.ts';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { findFaults, useConsole } from '../support/browser/console.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** The playground of the console: files, what was left out of a page, and requests as programs send them. */

const PROSE = 'A tea from the hills that is picked in spring, and dried in the shade for many days.';
const MORE =
  'The leaves are rolled by hand, and the finest of them are sold at the market of the town in May.';
const PAGE = `<!doctype html><title>Tea</title><nav id="menu"><a href="/b">Green &lt;img src=x onerror="globalThis.hasRun = true"&gt;</a></nav>
<main><h1>Tea</h1><p>${PROSE}</p><p>${MORE}</p></main><footer>All rights reserved</footer>`;

const service = useService();
const User = useConsole(service);
let site: Pages;
beforeAll(async () => {
  site = await startPages({ '/': PAGE });
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe.each(['light', 'dark'] as const)('in %s colours', (theme) => {
  it('shows what was left out of a page, with the element and the reason', async () => {
    await using user = await User.open('', { theme });
    const { page } = user;
    await user.scrape(`${site.url}/`);
    await page.getByRole('tab', { name: 'Left out' }).click();
    await page.getByRole('button', { name: 'Show what was left out' }).click();
    const list = page.getByRole('tabpanel').getByRole('listitem');
    await list.first().waitFor();
    expect((await list.allTextContents()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      expect.stringMatching(/^Left out nav#menu Its tag is nav\..*Green <img src=x/),
      'Tea',
      PROSE,
      MORE,
      expect.stringMatching(/^Left out footer Its tag is footer\..*All rights reserved$/),
    ]);
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Only what was left out' }).click();
    await expect.poll(() => list.count()).toBe(2);
    expect(await page.evaluate(() => 'hasRun' in globalThis)).toBe(false);
    expect(user.errors).toEqual([]);
  });

  it('parses a file that is dropped on it', async () => {
    await using user = await User.open('/try/parse', { theme });
    const { page } = user;
    const field = page.getByLabel('file', { exact: true });
    await field.waitFor();
    const transfer = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'notes of tea.html', { type: 'text/html' }));
      return transfer;
    }, PAGE);
    await field.dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByText('notes of tea.html').first().waitFor();
    await page.getByRole('button', { name: 'Parse', exact: true }).click();
    await page.locator('article').getByText(PROSE).first().waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Left out' }).click();
    await page.getByRole('button', { name: 'Show what was left out' }).click();
    await page.getByText('All rights reserved').waitFor();
    expect(user.errors).toEqual([]);
  });
});

it('draws the pages of a PDF with their blocks, beside the markdown that was made of each', async () => {
  const pdf = writePdf([
    { texts: [{ text: 'Report of the year', x: 72, y: 80, size: 24 }, ...textLines(72, 140, [PROSE])] },
    { texts: textLines(72, 80, ['Sales were <b>good</b> in May.']) },
  ]);
  await using user = await User.open('/try/parse');
  const { page } = user;
  const file = { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf) };
  await page.getByLabel('file', { exact: true }).setInputFiles(file);
  await page.getByRole('button', { name: 'Parse', exact: true }).click();
  await page.getByRole('tab', { name: 'Pages' }).click();
  await page.getByRole('button', { name: 'Show the layout of the pages' }).click();
  await page.getByText('Page 1 of 2').waitFor();
  const panel = page.getByRole('tabpanel', { name: 'Pages' });
  // The picture of the page lies behind its blocks.
  const picture = panel.locator('.sheet img');
  await picture.waitFor();
  await pollUntil(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 500));
  const heading = panel.getByRole('button', { name: /Report of the year$/ });
  const [sheet, block] = [await panel.locator('.sheet').boundingBox(), await heading.boundingBox()];
  expect(block!.y).toBeGreaterThan(sheet!.y);
  expect(block!.y + block!.height).toBeLessThan(sheet!.y + sheet!.height / 4);
  await heading.click();
  await panel.getByText('text of the file').waitFor();
  await panel.locator('pre').getByText('Report of the year').waitFor();
  expect(await findFaults(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Next' }).click();
  await panel.locator('article').getByText('Sales were <b>good</b> in May.').waitFor();
  // The list of jobs knows the file by its name.
  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await page
    .getByRole('row', { name: /Parse/ })
    .getByRole('link', { name: 'report.pdf', exact: true })
    .first()
    .click();
  await page.getByRole('heading', { name: /^Parse/ }).waitFor();
  expect(user.errors).toEqual([]);
});

it('sends a request again by the button beside it', async () => {
  await using user = await User.open('');
  const { page } = user;
  await user.scrape(`${site.url}/`);
  await page.getByRole('link', { name: 'Map', exact: true }).click();
  await page.getByText('Tried before').click();
  const sent = page.waitForRequest((request) => request.url().endsWith('/v2/scrape'));
  await page.getByRole('button', { name: `Run again: scrape ${site.url}/` }).click();
  expect((await sent).postDataJSON()).toEqual({ url: `${site.url}/`, formats: ['markdown'] });
  await page.locator('article').getByText(PROSE).first().waitFor();
});

describe('a request as a program', () => {
  const directory = mkdtempSync(join(tmpdir(), 'winnow-snippets-'));
  const fileName = `it's "tea".html`;
  writeFileSync(join(directory, fileName), PAGE);
  symlinkSync(join(import.meta.dirname, '..', '..', 'bin', 'winnow.js'), join(directory, 'winnow'));
  const operationOf = (id: string) => OPERATIONS.find((each) => each.id === id)!;
  const snippet = (language: string, id: string, body: Record<string, unknown>) =>
    writeSnippets({
      origin: service.url,
      operation: operationOf(id),
      body,
      ...(id === 'parse' && { fileName }),
    }).find((each) => each.language === language)?.text ?? '';
  const RUN: Record<string, (text: string) => [file: string, args: string[]]> = {
    curl: (text) => ['bash', ['-c', text]],
    JavaScript: (text) => [process.execPath, ['--input-type=module', '-e', text]],
    Python: (text) => ['python3', ['-c', text]],
    'Command line': (text) => ['bash', ['-c', text]],
    MCP: (text) => ['bash', ['-c', text]],
  };
  const run = async (language: string, text: string) => {
    const [file, args] = RUN[language]!(text);
    const PATH = [directory, join(process.execPath, '..'), process.env.PATH].join(':');
    const env = { ...process.env, PATH, WINNOW_API_KEY: service.key };
    const { stdout } = await promisify(execFile)(file, args, { cwd: directory, env });
    return stdout;
  };

  it.each(Object.keys(RUN))('by %s runs as it is copied, and so does one with a file', async (language) => {
    const url = `${site.url}/?it's=$HOME&b`;
    const body = { url, formats: ['markdown'], excludeTags: ['h1'], headers: { 'X-Note': '""" $1' } };
    expect(await run(language, snippet(language, 'scrape', body))).toContain(PROSE);
    const options = { formats: ['markdown'], onlyMainContent: false };
    expect(await run(language, snippet(language, 'parse', options))).toContain('All rights reserved');
  });

  it('by a command has each member that the command knows, and names the others', () => {
    const url = `${site.url}/`;
    expect(
      snippet('Command line', 'crawl', { url, includePaths: ['^/a', 'b c'], delay: 2, webhook: {} }),
    ).toBe(
      `# The command has no argument for: webhook.\nWINNOW_URL=${service.url} winnow crawl ${url} '--include=^/a' '--include=b c' --delay=2`,
    );
    expect(snippet('Command line', 'map', { url, includeSubdomains: false, search: '-x' })).toBe(
      `WINNOW_URL=${service.url} winnow map ${url} --no-subdomains --search=-x`,
    );
  });

  it('by MCP calls the tool of the same name, where there is one', () => {
    const body = { url: 'https://a.test/' };
    expect(snippet('MCP', 'scrape', body)).toBe(
      `WINNOW_URL=${service.url} winnow mcp call firecrawl_scrape '{\n  "url": "https://a.test/"\n}'`,
    );
    expect(snippet('MCP', 'batch', { urls: [] })).toBe('');
  });
});
