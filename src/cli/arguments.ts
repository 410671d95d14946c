import { parseArgs } from 'node:util';
import type { ArgsDef } from 'citty';
import { commandOf } from '../config.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { findSimilarName, plainName } from '../json/similar-name.ts';

/** Arguments of a command, as citty defines them. */
export type CommandArgs = ArgsDef;

/**
 * Checks the typed arguments against those of the command; citty itself accepts unknown options and extra
 * words.
 * @throws ServiceError `BAD_REQUEST` that names the wrong argument
 */
export async function checkArguments(command: string, rawArgs: string[], args: CommandArgs): Promise<void> {
  const positionals = Object.values(args).filter(({ type }) => type === 'positional').length;
  const refuse = (reason: string) => {
    throw new ServiceError(
      'BAD_REQUEST',
      `${reason} \`${commandOf(`${command} --help`)}\` lists the arguments.`,
    );
  };
  const describeOption = async ({ name, written }: UnknownOption) => {
    const value = valueAfter(written, rawArgs);
    const advice = written.startsWith('--')
      ? await adviseOnOption({ command, name, value }, args)
      : adviseOnLetter(name, value, args);
    return `Unknown option '${written}'. ${advice}`;
  };
  let words: string[] = [];
  try {
    words = parse(rawArgs, args, true).positionals;
  } catch (error) {
    const unknown = unknownOptions(rawArgs, args);
    if (unknown.length) {
      const told = await Promise.all(unknown.map((each) => describeOption(each)));
      refuse([...told, ...describeBare(rawArgs, args)].join(' '));
    }
    // The first sentence of Node's message says what is wrong; the others explain quoting.
    const [reason = ''] = messageOf(error).split(/\.\s|\.$/);
    refuse(`${reason.replace(/argument is ambiguous$/, 'needs a value that does not begin with -')}.`);
  }
  if (words.length > positionals) {
    const several = 'url' in args && /^https?:/.test(words[positionals] ?? '');
    const advice = several ? ` For several pages, use \`${commandOf('batch')}\`.` : '';
    const isFile = /\.(json|jsonl|md|txt|csv|html)$/i.test(words[positionals] ?? '') && 'output' in args;
    const output = isFile ? ` To write the result to a file, use -o ${words[positionals]}.` : '';
    refuse(`Unexpected argument '${words[positionals]}'.${advice}${output}`);
  }
}

/** An option that a command does not have, by its name and as it is written, with its dashes. */
interface UnknownOption {
  name: string;
  written: string;
}

/** The names of the arguments that begin with dashes. */
const optionNames = (args: CommandArgs) =>
  Object.keys(args).filter((name) => args[name]?.type !== 'positional');

/** The options that a command does not have, each once. */
function unknownOptions(rawArgs: string[], args: CommandArgs): UnknownOption[] {
  const names = new Set(optionNames(args));
  const found = (parse(rawArgs, args, false).tokens ?? []).flatMap((token) => {
    if (token.kind !== 'option') return [];
    const { name, rawName: written } = token;
    const isKnown =
      names.has(name) || (written.startsWith('--no-') && names.has(written.slice('--no-'.length)));
    return isKnown ? [] : [{ name, written }];
  });
  return [...new Map(found.map((each) => [each.written, each])).values()];
}

/** Says which options of a command stand without the value that they need. */
function describeBare(rawArgs: string[], args: CommandArgs): string[] {
  const tokens = parse(rawArgs, args, false).tokens ?? [];
  return tokens.flatMap((token) => {
    if (token.kind !== 'option' || token.value !== undefined) return [];
    const arg = optionNames(args).includes(token.name) ? args[token.name] : undefined;
    return arg && optionType(arg.type) === 'string' ? [`Option '${token.rawName}' needs a value.`] : [];
  });
}

/** What letters stand for in other programs, besides the options that begin with them. */
const LETTERS: Readonly<Record<string, readonly string[]>> = {
  n: ['limit'],
  d: ['max-depth'],
  c: ['concurrency'],
  b: ['header'],
  A: ['header'],
  j: ['concurrency'],
  i: ['file', 'include'],
};

/** Says which option is meant by a letter alone. */
function adviseOnLetter(letter: string, value: string | undefined, args: CommandArgs): string {
  const options = optionNames(args);
  const usual = (LETTERS[letter] ?? []).filter((name) => options.includes(name));
  const meant = usual.length ? usual : options.filter((name) => name.startsWith(letter.toLowerCase()));
  const [name] = meant;
  if (name === undefined) return `Known are ${options.map((each) => `--${each}`).join(', ')}.`;
  if (meant.length > 1) return `Write the whole name: ${meant.map((each) => `--${each}`).join(', ')}.`;
  const isBare = value === undefined || !/^[\w./:,=%+-]+$/.test(value) || args[name]?.type === 'boolean';
  return `Did you mean ${isBare ? withValueHint(name, args) : `--${name}=${value}`}?`;
}

/** Names that options have in other programs and in the API, with those that they may have here. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  limit: ['max-pages', 'max-urls', 'max-results', 'max', 'pages', 'num', 'count'],
  'max-depth': ['depth', 'level', 'levels', 'max-discovery-depth'],
  output: ['out', 'file', 'out-file', 'save', 'save-to'],
  formats: ['type', 'as'],
  include: ['include-paths', 'includes', 'allow', 'accept'],
  exclude: ['exclude-paths', 'excludes', 'deny', 'reject', 'ignore'],
  subdomains: ['include-subdomains', 'allow-subdomains'],
  external: ['allow-external-links', 'external-links', 'follow-external'],
  'entire-domain': ['crawl-entire-domain', 'whole-domain'],
  concurrency: ['max-concurrency', 'parallel', 'threads', 'workers', 'jobs'],
  schedule: ['interval', 'every', 'cron', 'frequency'],
  file: ['urls', 'input', 'from-file', 'list'],
  'wait-for': ['wait', 'sleep'],
  header: ['headers'],
  'include-tags': ['selector', 'css', 'only'],
  detach: ['background', 'async', 'no-wait'],
};

/** The value that stands behind an option; undefined if another option does, or nothing. */
function valueAfter(written: string, rawArgs: readonly string[]): string | undefined {
  const index = rawArgs.findIndex((arg) => arg === written || arg.startsWith(`${written}=`));
  const [, own] = rawArgs[index]?.split(/=(.*)/s, 2) ?? [];
  const next = rawArgs[index + 1];
  return own ?? (next?.startsWith('-') ? undefined : next);
}

/** Says which option is meant by one that a command does not have, or which arguments it has. */
async function adviseOnOption(
  flag: { command: string; name: string; value: string | undefined },
  args: CommandArgs,
): Promise<string> {
  const unknown = flag.name;
  const options = optionNames(args);
  if (unknown === 'wait' && flag.value === undefined && options.includes('detach'))
    return 'Leave it out: the command waits for the end, unless --detach is given.';
  const words = Object.keys(args).filter((name) => !options.includes(name));
  if (words.some((name) => name.replace(/\.+$/, '') === unknown))
    return `It has no name: leave --${unknown} out, and write the value alone.`;
  const byName = options.find(
    (name) =>
      Object.hasOwn(OTHER_NAMES, name) &&
      OTHER_NAMES[name]?.some((other) => plainName(other) === plainName(unknown)),
  );
  // What the API knows of options and their values is read only for this, because it is much.
  const { adviseOnUnknownFlag, meantFlagValue } = await import('./flag-advice.ts');
  const meant = byName ?? findSimilarName(unknown, options);
  if (meant) {
    const value = meantFlagValue(meant, { ...flag, flags: options });
    return `Did you mean ${value === undefined ? withValueHint(meant, args) : `--${meant}=${value}`}?`;
  }
  const ofValue = options.filter((name) => valuesIn(args[name]?.description).includes(unknown));
  if (ofValue.length === 1) return `Did you mean --${ofValue[0]}=${unknown}?`;
  const known = Object.keys(args).map((name) =>
    options.includes(name) ? `--${name}` : name.replace(/\.+\d*$/, '').toUpperCase(),
  );
  const advice = adviseOnUnknownFlag({ ...flag, flags: options });
  return advice ?? `Known are ${[...new Set(known)].join(', ')}.`;
}

/** The values that the description of an option lists, with commas between them. */
const valuesIn = (description = '') => (description.includes(',') ? description.split(/[\s,:]+/) : []);

/** An option as the help has it, with what its value is: `--timeout=<ms>`. */
function withValueHint(name: string, args: CommandArgs): string {
  const arg = args[name];
  const hint = arg && 'valueHint' in arg ? arg.valueHint : undefined;
  return `--${name}${hint ? `=<${hint}>` : ''}`;
}

/** Collects every value of a repeatable option; citty keeps only the last one. */
export function collectValues(rawArgs: string[], args: CommandArgs, name: string): string[] {
  const value = parse(rawArgs, args, false).values[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** Splits a list such as `a, b,c`; `undefined` when the option is absent. */
export function parseList(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/**
 * Parses an optional whole number.
 * @param unit in which the number is, for the message
 * @throws ServiceError `BAD_REQUEST` when the value is not one
 */
export function parseWholeNumber(
  name: string,
  text: string | undefined,
  unit?: 'ms' | 'seconds',
): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const fault = `--${name} must be a whole number${unit ? ` (in ${unit})` : ''}, not '${text}'.`;
  const ms = durationMs(text);
  const advice = unit && ms ? ` Write ${unit === 'ms' ? ms : Math.ceil(ms / 1000)}.` : '';
  throw new ServiceError('BAD_REQUEST', `${fault}${advice}`);
}

/** The length of a duration such as `30s`, in ms; undefined for other texts. */
function durationMs(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)[a-z]*$/i.exec(text) ?? [];
  const ms = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit.toLowerCase()];
  return ms === undefined ? undefined : Math.round(Number(amount) * ms);
}

/** Parses an optional `on` or `off`. @throws ServiceError `BAD_REQUEST` for any other value */
export function parseSwitch(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === 'on' || text === 'off') return text === 'on';
  throw new ServiceError('BAD_REQUEST', `--${name} must be on or off, not '${text}'.`);
}

function parse(rawArgs: string[], args: CommandArgs, strict: boolean) {
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
    tokens: true,
  });
}

const optionType = (type: string | undefined) => (type === 'boolean' ? 'boolean' : 'string');
