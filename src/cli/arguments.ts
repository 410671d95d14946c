import { parseArgs } from 'node:util';
import type { ArgsDef } from 'citty';
import { messageOf, ServiceError } from '../errors.ts';

/** Options of a verb as citty takes them; one that may be given several times says so. */
export type VerbArgs = ArgsDef;

/**
 * Holds what was typed against what a verb knows; citty itself lets unknown options and spare words pass.
 * @throws ServiceError `BAD_REQUEST` that names what is wrong and what there is
 */
export function checkArguments(verb: string, rawArgs: string[], args: VerbArgs): void {
  const positionals = Object.values(args).filter(({ type }) => type === 'positional').length;
  const refuse = (reason: string) => {
    throw new ServiceError('BAD_REQUEST', `${reason}. \`winnow ${verb} --help\` lists what there is.`);
  };
  let words: string[] = [];
  try {
    words = parse(rawArgs, args, true).positionals;
  } catch (error) {
    // Node's first sentence says what is wrong, the ones after it how to quote.
    refuse(
      messageOf(error)
        .split(/\. |\n/)[0]
        ?.replace(/\.$/, '') ?? '',
    );
  }
  if (words.length > positionals) refuse(`Unexpected argument '${words[positionals]}'`);
}

/** Every value of an option that may be given several times; citty keeps the last one only. */
export function allValues(rawArgs: string[], args: VerbArgs, name: string): string[] {
  const value = parse(rawArgs, args, false).values[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** A text such as `a, b,c` as its parts; `undefined` where the option is absent. */
export function listOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** @throws ServiceError `BAD_REQUEST` when the option is given but no whole number */
export function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new ServiceError('BAD_REQUEST', `--${name} must be a whole number, not '${text}'.`);
}

/** @throws ServiceError `BAD_REQUEST` when the option is given but neither `on` nor `off` */
export function switchOf(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === 'on' || text === 'off') return text === 'on';
  throw new ServiceError('BAD_REQUEST', `--${name} must be on or off, not '${text}'.`);
}

function parse(rawArgs: string[], args: VerbArgs, strict: boolean) {
  const options = Object.entries(args)
    .filter(([, { type }]) => type !== 'positional')
    .map(([name, arg]) => {
      const alias = 'alias' in arg ? [arg.alias ?? []].flat() : [];
      const short = alias.find((each) => each.length === 1);
      return [name, { type: optionType(arg.type), multiple: true, ...(short && { short }) }] as const;
    });
  return parseArgs({
    args: rawArgs,
    options: Object.fromEntries(options),
    strict,
    allowPositionals: true,
    allowNegative: true,
  });
}

const optionType = (type: string | undefined) => (type === 'boolean' ? 'boolean' : 'string');
