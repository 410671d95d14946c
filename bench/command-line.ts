import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { messageOf } from '../src/errors.ts';

/** An option of a benchmark, as {@link parseArgs} takes it, and what it means. */
export interface Option<Value> {
  type: 'string' | 'boolean';
  multiple?: boolean;
  /**
   * Reads what was given for the option; `undefined` if it was not given.
   * @throws Error that says what the option takes
   */
  read(given: unknown): Value;
}

type ValuesOf<Options> = {
  [Name in keyof Options]: Options[Name] extends Option<infer Value> ? Value : never;
};

/**
 * Reads the command line of a benchmark, before anything starts. Does not return if it asks for the help,
 * which is printed and ends the process with 0, or if it is wrong, see {@link refuse}.
 * @param help text for `--help`, which every benchmark has
 * @param options all other options by their names
 * @returns the value of each option
 */
export function readCommandLine<Options extends Record<string, Option<unknown>>>(
  help: string,
  options: Options,
): ValuesOf<Options> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(help);
    process.exit(0);
  }
  try {
    const values: Record<string, unknown> = parseArgs({ args, options }).values;
    // Every option reads its own value.
    return Object.fromEntries(
      Object.entries(options).map(([name, option]) => [name, readOption(`--${name}`, option, values[name])]),
    ) as ValuesOf<Options>;
  } catch (error) {
    refuse(messageOf(error));
  }
}

function readOption(name: string, option: Option<unknown>, given: unknown): unknown {
  try {
    return option.read(given);
  } catch (error) {
    throw new Error(`${name} ${messageOf(error)}`);
  }
}

/** Ends the process with 2 after one line that says what is wrong with the command line. */
export function refuse(message: string): never {
  process.stderr.write(`${message.replaceAll('\n', ' ')} (see --help)\n`);
  process.exit(2);
}

function makeOption<Value, Default>(read: (text: string) => Value, byDefault: Default) {
  const option: Option<Value | Default> = {
    type: 'string',
    // Node gives the text of an option that is there once.
    read: (given) => (given === undefined ? byDefault : read(given as string)),
  };
  return option;
}

function readCount(text: string, least: number): number {
  if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`takes whole numbers from ${least}, not ${JSON.stringify(text)}`);
}

function readChoice<Name extends string>(text: string, names: readonly Name[]): Name {
  const choice = names.find((name) => name === text);
  if (choice !== undefined) return choice;
  throw new Error(`is one of ${names.join(', ')}, not ${JSON.stringify(text)}`);
}

/** A whole number. @param least the smallest number that is accepted */
export function count<Default extends number | undefined>(byDefault: Default, least = 1) {
  return makeOption<number, Default>((text) => readCount(text, least), byDefault);
}

/** Whole numbers from 1, separated by commas, or the word `none` for no number at all. */
export function counts(byDefault: number[]): Option<number[]> {
  return makeOption(
    (text) => (text === 'none' ? [] : text.split(',').map((each) => readCount(each, 1))),
    byDefault,
  );
}

/** One of some names. */
export function choice<const Name extends string, Default extends Name | undefined>(
  names: readonly Name[],
  byDefault: Default,
): Option<Name | Default> {
  return makeOption((text) => readChoice(text, names), byDefault);
}

/** Some of the names, separated by commas. */
export function choices<Name extends string>(names: readonly Name[], byDefault: Name[]): Option<Name[]> {
  return makeOption((text) => text.split(',').map((each) => readChoice(each, names)), byDefault);
}

/** Any text. */
export function text<Default extends string | undefined>(byDefault: Default): Option<string | Default> {
  return makeOption((given) => given, byDefault);
}

/** Any texts; the option may be repeated. `undefined` if it is not there. */
export function texts(): Option<string[] | undefined> {
  // Node gives the texts of an option that may be repeated.
  return { type: 'string', multiple: true, read: (given) => given as string[] | undefined };
}

/** A directory that exists. */
export function directory(): Option<string | undefined> {
  return makeOption((path) => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
    throw new Error(`takes a directory, which ${JSON.stringify(path)} is not`);
  }, undefined);
}

/** An option that the benchmark does not work without. */
export function required<Value>(option: Option<Value | undefined>): Option<Value> {
  return {
    ...option,
    read(given) {
      const value = option.read(given);
      if (value === undefined) throw new Error('is missing');
      return value;
    },
  };
}

/** An option without a value: whether it is there. */
export function flag(): Option<boolean> {
  return { type: 'boolean', read: (given) => given === true };
}
