import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import {
  choice,
  choices,
  count,
  counts,
  directory,
  flag,
  type Option,
  readCommandLine,
  required,
  text,
  texts,
} from './command-line.ts';
import { measure } from './figures.ts';

const FOLDER = import.meta.dirname;
/** Modules beside the commands. */
const MODULES = ['checkout.ts', 'command-line.ts', 'figures.ts', 'interrupt.ts', 'processes.ts'];
const COMMANDS = readdirSync(FOLDER).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !MODULES.includes(name),
);
/** A benchmark that started instead of printing its help is ended after this time. */
const LONGEST_MS = 100_000;

class Exit extends Error {}

/** Reads a command line. @returns the values, or the exit code and what was printed instead */
function read(args: string[], options: Record<string, Option<unknown>>) {
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'bench/any.ts', ...args]);
  let printed = '';
  const write = (text: string | Uint8Array) => {
    printed += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  let exitCode: unknown;
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    exitCode = code;
    throw new Exit();
  });
  try {
    return readCommandLine('The help.\n', options);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return [exitCode, printed];
  }
}

afterEach(() => vi.restoreAllMocks());

it('every benchmark prints its help instead of starting', async () => {
  const helps: Record<string, string> = {};
  await measure(COMMANDS.length, 4, async (index) => {
    const name = COMMANDS[index]!;
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(FOLDER, name), '--help'], {
      timeout: LONGEST_MS,
    });
    helps[name] = stdout;
  });
  const wrong = COMMANDS.filter((name) => {
    const help = helps[name]!;
    return !help.includes(`\nUsage: node bench/${name} `) || !/^ {2}--help +print this text$/m.test(help);
  });
  expect(wrong).toEqual([]);
});

it('a benchmark takes its defaults where nothing else is given', () => {
  const options = {
    pages: count(60),
    limit: count(undefined),
    viewers: counts([1, 5]),
    set: choice(['spec', 'pages'], 'spec'),
    names: choices(['ours', 'theirs'], ['ours']),
    type: text(undefined),
    exclude: texts(),
    kit: directory(),
    plain: flag(),
  };
  const defaults = { pages: 60, viewers: [1, 5], set: 'spec', names: ['ours'], plain: false };
  expect(read([], options)).toEqual(defaults);
  expect(
    read(
      [
        '--pages',
        '7',
        '--limit=9',
        '--viewers',
        '2,3',
        '--set',
        'pages',
        '--names',
        'theirs,ours',
        '--type',
        'forum',
      ].concat(['--exclude', 'nav', '--exclude', 'p', '--kit', FOLDER, '--plain']),
      options,
    ),
  ).toEqual({
    pages: 7,
    limit: 9,
    viewers: [2, 3],
    set: 'pages',
    names: ['theirs', 'ours'],
    type: 'forum',
    exclude: ['nav', 'p'],
    kit: FOLDER,
    plain: true,
  });
  expect(read(['--viewers', 'none'], options)).toEqual({ ...defaults, viewers: [] });
});

it('a benchmark prints its help even if the other arguments are wrong', () => {
  expect(read(['--pages', 'abc', '--help'], { pages: count(1) })).toEqual([0, 'The help.\n']);
});

it.each<[string, string, Record<string, Option<unknown>>]>([
  ['--no-such-option', "Unknown option '--no-such-option'", {}],
  ['1000', "Unexpected argument '1000'. This command does not take positional arguments", {}],
  ['--pages abc', '--pages takes whole numbers from 1, not "abc"', { pages: count(1) }],
  ['--pages 0', '--pages takes whole numbers from 1, not "0"', { pages: count(1) }],
  ['--pages=-3', '--pages takes whole numbers from 1, not "-3"', { pages: count(1) }],
  ['--pages 1.5', '--pages takes whole numbers from 1, not "1.5"', { pages: count(1) }],
  ['--pages 39', '--pages takes whole numbers from 40, not "39"', { pages: count(undefined, 40) }],
  ['--pages', "Option '--pages <value>' argument missing", { pages: count(1) }],
  ['--viewers 1,,5', '--viewers takes whole numbers from 1, not ""', { viewers: counts([1]) }],
  ['--set all', '--set is one of spec, pages, not "all"', { set: choice(['spec', 'pages'], 'spec') }],
  ['--names ours,b', '--names is one of ours, theirs, not "b"', { names: choices(['ours', 'theirs'], []) }],
  ['--kit /no/such', '--kit takes a directory, which "/no/such" is not', { kit: directory() }],
  ['', '--kit is missing', { kit: required(directory()) }],
])('a benchmark refuses "%s" by one line: %s', (args, line, options) => {
  expect(read(args.split(' ').filter(Boolean), options)).toEqual([2, `${line} (see --help)\n`]);
});

it('a benchmark refuses a negative number by one line', () => {
  expect(read(['--pages', '-3'], { pages: count(1) })).toEqual([
    2,
    expect.stringMatching(/^Option '--pages' argument is ambiguous\. [^\n]+\n$/),
  ]);
});
