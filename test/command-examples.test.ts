import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeArchive } from '../src/backup/archive-writer.ts';
import { type BackupHeader, FORMAT, FORMAT_VERSION, HEADER_NAME } from '../src/backup/manifest.ts';
import { openBackupFile } from '../src/backup/places/open-place.ts';
import { EXAMPLES } from '../src/cli/examples.ts';
import { commandOf } from '../src/config.ts';
import { runInProcess } from './support/service/command-line.ts';
import { type Pages, startPages } from './support/sites/pages.ts';

/** The commands in `--help` and in the documentation are commands that there are. */

const ROOT = path.join(import.meta.dirname, '..');
/** Nobody listens there, so that a command for the database with valid arguments ends with 3 instead of 2. */
const NO_DATABASE = 'postgres://nobody:x@127.0.0.1:9/none';
const UNREACHABLE = 3;
/** What the service says to all others. Where none listened, some commands would wait a minute for it. */
const REFUSAL = 'This service refuses every key.';

const EMPTY_BACKUP: BackupHeader = {
  format: FORMAT,
  formatVersion: FORMAT_VERSION,
  version: '0.1.0',
  createdAt: new Date().toISOString(),
  migrations: ['0001-spine'],
  tables: [],
  secretFingerprint: null,
};

let folder: string;
let service: Pages;
beforeAll(async () => {
  const refuse: RequestListener = (_request, response) =>
    response.writeHead(401).end(JSON.stringify({ success: false, code: 'UNAUTHORIZED', error: REFUSAL }));
  service = await startPages(new Proxy({}, { get: () => refuse }));
  folder = mkdtempSync(path.join(tmpdir(), 'winnow-examples-'));
  for (const name of ['report.pdf', 'letter.docx', 'code.js', 'urls.txt'])
    writeFileSync(path.join(folder, name), 'http://a.test/');
  const backup = await openBackupFile(path.join(folder, 'winnow.tar'));
  await writeArchive(backup, async (writer) => {
    await writer.add(HEADER_NAME, Buffer.from(JSON.stringify(EMPTY_BACKUP)));
    return { rows: {} };
  });
  writeFileSync(
    path.join(folder, 'url-watches.json'),
    JSON.stringify({ watching: { one: { url: 'http://a.test/' } } }),
  );
  writeFileSync(path.join(folder, 'urls.yaml'), 'url: http://a.test/\n');
  writeFileSync(path.join(folder, 'product.json'), '{"type":"object","properties":{"price":{}}}');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service[Symbol.asyncDispose]();
});

/** The words of a command as a shell passes them on, without redirections and comments. */
function wordsOf(command: string): string[] {
  const [line = ''] = command.split(/\s(?:>|#|\|)/);
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, ...words]) => words.find((word) => word !== undefined) ?? '',
  );
}

const run = (command: string) =>
  runInProcess(wordsOf(command), {
    settings: { WINNOW_URL: service.url, WINNOW_API_KEY: 'fc-test', DATABASE_URL: NO_DATABASE },
    cwd: folder,
  });

/** Runs a command, which must get as far as the service or the database. */
async function runUpToService(command: string): Promise<void> {
  const { exitCode, stderr } = await run(command);
  if (exitCode !== UNREACHABLE) expect(stderr, command).toContain(REFUSAL);
}

/** Those that need no service, or are one, or need a bucket. */
const isLocal = (command: string) => /^(?:up|setup|doctor|openapi)\b|--help|--dry-run|s3:\/\//.test(command);

/** The commands of the pages, in blocks of code and in the text. */
const PAGES = ['README.md', 'docs/operations.md', ...globSync('docs/guides/*.md', { cwd: ROOT })];
const COMMAND = /(?:^|`)(?:npm start --|npm run cli --|winnow) ([a-z][^`\n]*)/gm;
const WRITTEN = PAGES.flatMap((page) =>
  [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(COMMAND)].map(([, command = '']) => ({
    page,
    command,
  })),
);

describe('an example of --help', () => {
  const examples = Object.entries(EXAMPLES).flatMap(([name, commands]) =>
    commands.map((command) => ({ name: name || 'winnow', command })),
  );

  it.each(examples.filter(({ command }) => !isLocal(command)))(
    'of $name has valid arguments: $command',
    ({ command }) => runUpToService(command),
  );

  it('leaves no part of a file where the service refuses it', async () => {
    const [command] = EXAMPLES.export?.filter((each) => each.includes('parquet')) ?? [];
    await runUpToService(command ?? '');
    for (const place of [folder, process.cwd()])
      expect(readdirSync(place).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it.each(Object.entries(EXAMPLES))('is there for "%s"', async (name, commands) => {
    const { exitCode, stdout } = await run(`${name} --help`);
    expect(exitCode).toBe(0);
    for (const command of commands) expect(stdout).toContain(`  ${commandOf(command)}\n`.trimEnd());
  });

  it('is there for every command', async () => {
    const names = Object.keys(EXAMPLES);
    for (const name of names) {
      const { stdout } = await run(`${name} --help`);
      const listed = /\nCOMMANDS\n\n([\s\S]*?)\n\n/.exec(stdout)?.[1] ?? '';
      if (name === '') expect(listed).toMatch(/^ +openapi {2,}/m);
      const children = [...listed.matchAll(/^ +([a-z]+) {2,}/gm)].map(([, child]) =>
        `${name} ${child}`.trim(),
      );
      expect(names).toEqual(expect.arrayContaining(children));
    }
  });
});

describe('a command in the documentation', () => {
  it.each(WRITTEN)('exists with its options: $command ($page)', async ({ command }) => {
    const words = wordsOf(command);
    const names = words.slice(0, words.findIndex((word, at) => at > 0 && !/^[a-z]+$/.test(word)) >>> 0);
    const known = [names.slice(0, 2), names.slice(0, 1)].find((each) =>
      Object.hasOwn(EXAMPLES, each.join(' ')),
    );
    expect(known, command).toBeDefined();
    const { stdout } = await run(`${known?.join(' ')} --help`);
    for (const flag of words.filter((word) => /^--[a-z]/.test(word) && word !== '--help'))
      expect(stdout, command).toContain(flag);
  });

  it('in a block of code has valid arguments', async () => {
    const blocks = PAGES.flatMap((page) => [
      ...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/```[\s\S]*?```/g),
    ]);
    const commands = blocks.flatMap(([block]) =>
      [...block.matchAll(COMMAND)].map(([, command = '']) => command),
    );
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands.filter((each) => !isLocal(each))) await runUpToService(command);
  });
});

it('messages name commands as they are typed where the program was started', () => {
  expect(commandOf('doctor', {})).toBe('winnow doctor');
  expect(commandOf('doctor', { WINNOW_PROGRAM: 'npm start --' })).toBe('npm start -- doctor');
  expect(commandOf('', { WINNOW_PROGRAM: 'npm start --' })).toBe('npm start --');
});
