import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../src/run/embedded/command.ts';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { htmlFile } from '../support/api/parse.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';

/** The command `parse` against the shared service, as a user types it. */

const service = useService();
const entry = path.join(import.meta.dirname, '../../bin/winnow.js');

let workDir: string;
beforeAll(async () => {
  workDir = await mkdtemp(path.join(tmpdir(), 'winnow-cli-'));
  const write = (name: string, content: string | Uint8Array) => writeFile(path.join(workDir, name), content);
  await write('报告.html', htmlFile('Report').content);
  await write('two.html', htmlFile('Two').content);
  await write('notes.txt', 'Some text');
  await mkdir(path.join(workDir, 'folder.html'));
  const page = (text: string) => ({ texts: textLines(72, 80, [text]) });
  await write('pages.pdf', writePdf([page('The first page.'), page('The second page.')]));
});
afterAll(() => rm(workDir, { recursive: true, force: true }));

const parse = (...args: string[]) =>
  runCommand(process.execPath, [entry, 'parse', ...args], {
    cwd: workDir,
    settings: { WINNOW_DATA_DIR: service.dataDir },
    timeoutMs: 150_000,
  });

/** The same within this process, for further cases. */
const parseHere = (...args: string[]) =>
  runInProcess(['parse', ...args], { settings: { WINNOW_DATA_DIR: service.dataDir }, cwd: workDir });

it('parse prints one format of a file as it is, and nothing else on stdout', async () => {
  const { exitCode, stdout } = await parse('报告.html');
  expect([exitCode, stdout]).toEqual([0, '# Report\n\nThe text of the page.\n']);
});

it('parse prints the whole response with --json, and writes it with -o', async () => {
  const { exitCode, stdout } = await parseHere('报告.html', '--json', '-o', 'out.json');
  expect([exitCode, stdout]).toEqual([0, '']);
  const written = JSON.parse(await readFile(path.join(workDir, 'out.json'), 'utf8'));
  expect(written).toMatchObject({ success: true, data: { metadata: { sourceFile: '报告.html' } } });
});

it('parse reads the pages of a PDF that its options name', async () => {
  const { stdout } = await parseHere('pages.pdf', '--max-pages', '1', '--pages');
  const { pages, metadata } = JSON.parse(stdout);
  expect(pages).toMatchObject([{ pageNumber: 1, markdown: 'The first page.' }]);
  expect(metadata).toMatchObject({ numPages: 1, totalPages: 2, creditsUsed: 1 });
});

it('parse prints several files as one document per line, and names those that failed', async () => {
  const { exitCode, stdout, stderr } = await parse('报告.html', 'notes.txt', 'missing.html', 'two.html');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ metadata }) => metadata.sourceFile)).toEqual(['报告.html', 'two.html']);
  expect(stderr).toMatch(/notes\.txt: .*not of a type/);
  expect(stderr).toMatch(/missing\.html cannot be read: it does not exist/);
  expect(exitCode).toBe(1);
});

it('parse prints several files as one object with --json', async () => {
  const { exitCode, stdout } = await parseHere('报告.html', 'two.html', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { success: true, completed: 2, failed: 0 }]);
});

it.each([
  [[], 'FILE'],
  [['folder.html'], 'cannot be read: it is a directory'],
  [['missing.html'], 'cannot be read: it does not exist'],
  [['notes.txt'], 'not of a type'],
  [['two.html', '-f', 'screenshot'], 'screenshot'],
  [['two.html', '--max-pages', 'x'], 'whole number'],
])('parse %j exits with 2', async (args, message) => {
  const { exitCode, stdout, stderr } = await parseHere(...args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});
