import { stripVTControlCharacters } from 'node:util';
import { type CommandDef, renderUsage, runCommand } from 'citty';
import { type CommandArgs, checkArguments } from './cli/arguments.ts';
import { EXAMPLES } from './cli/examples.ts';
import { withFlagNames } from './cli/flag-names.ts';
import { describeMcpClients } from './cli/mcp-clients.ts';
import { commandOf, describeSettings } from './config.ts';
import { ERRORS, messageOf, ServiceError } from './errors.ts';
import { findSimilarName } from './json/similar-name.ts';
import { readVersion } from './system/version.ts';

type Command = CommandDef;

/** Every command. Each is loaded when it is used, because the supervisor's memory must stay small. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  up: async () => (await import('./cli/commands/up-command.ts')).upCommand,
  // citty's command types are invariant in their options, which are not read here.
  scrape: async () => (await import('./cli/commands/scrape-command.ts')).scrapeCommand as Command,
  parse: async () => (await import('./cli/commands/parse-command.ts')).parseCommand as Command,
  crawl: async () => (await import('./cli/commands/crawl-command.ts')).crawlCommand as Command,
  batch: async () => (await import('./cli/commands/batch-command.ts')).batchCommand as Command,
  map: async () => (await import('./cli/commands/map-command.ts')).mapCommand as Command,
  export: async () => (await import('./cli/commands/export-command.ts')).exportCommand as Command,
  ask: async () => (await import('./cli/commands/ask-command.ts')).askCommand as Command,
  search: async () => (await import('./cli/commands/search-command.ts')).searchCommand as Command,
  extract: async () => (await import('./cli/commands/extract-command.ts')).extractCommand as Command,
  agent: async () => (await import('./cli/commands/agent-command.ts')).agentCommand as Command,
  browser: async () => (await import('./cli/commands/browser-command.ts')).browserCommand,
  monitor: async () => (await import('./cli/commands/monitor-command.ts')).monitorCommand,
  mcp: async () => (await import('./cli/commands/mcp-command.ts')).mcpCommand,
  setup: async () => (await import('./cli/commands/setup-command.ts')).setupCommand,
  doctor: async () => (await import('./cli/commands/doctor-command.ts')).doctorCommand as Command,
  team: async () => (await import('./cli/commands/team-command.ts')).teamCommand,
  key: async () => (await import('./cli/commands/key-command.ts')).keyCommand,
  profile: async () => (await import('./cli/commands/profile-command.ts')).profileCommand,
  backup: async () => (await import('./cli/commands/backup-command.ts')).backupCommand as Command,
  restore: async () => (await import('./cli/commands/restore-command.ts')).restoreCommand as Command,
  migrate: async () => (await import('./cli/commands/migrate-command.ts')).migrateCommand,
  openapi: async () => (await import('./cli/commands/openapi-command.ts')).openapiCommand,
};

const root: Command = {
  meta: {
    name: 'winnow',
    description: 'clean markdown, HTML, links and screenshots of any page; the default command is up',
  },
  subCommands: COMMANDS,
};

/**
 * Runs the command line.
 * @param args the arguments after the program's name
 * @returns the exit code: 0 success, 1 the job failed, 2 wrong usage, 3 the service is not reachable, 130
 * interrupted
 */
export async function runCli(args: string[]): Promise<number> {
  // A closed pipe or terminal is not an error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let name = commandOf();
  let flags: CommandArgs = {};
  try {
    if (args[0] === '--version') {
      process.stdout.write(`${readVersion()}\n`);
      return 0;
    }
    const asksForHelp = args[0] === 'help';
    const { path, command, parent, rest } = await findCommand(
      asksForHelp ? [...args.slice(1), '--help'] : args,
    );
    name = commandOf(path.join(' '));
    if (asksForHelp || args.some((arg) => arg === '--help' || arg === '-h')) {
      process.stdout.write(`${await usage(path, command, parent)}\n`);
      return 0;
    }
    flags = (await resolveValue(command.args)) ?? {};
    await checkArguments(path.join(' '), rest, expandRepeated(flags, rest.length));
    await runCommand(command, { rawArgs: rest });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (error) {
    return report(error, { name, flags });
  }
}

interface FoundCommand {
  path: string[];
  command: Command;
  parent: Command | undefined;
  /** The arguments of the command itself. */
  rest: string[];
}

async function findCommand(args: string[]): Promise<FoundCommand> {
  const isHelp = args[0] === '--help' || args[0] === '-h';
  const found: FoundCommand = {
    path: [],
    command: root,
    parent: undefined,
    rest: args[0]?.startsWith('-') && !isHelp ? ['up', ...args] : args,
  };
  if (!found.rest.length) found.rest = ['up'];
  for (;;) {
    const subcommands = await resolveValue(found.command.subCommands);
    const name = found.rest[0];
    if (!subcommands || name === '--help' || name === '-h') return found;
    // A command that does something by itself needs no subcommand.
    if (name === undefined && found.command.run) return found;
    const next = name !== undefined && Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (name === undefined || !next) throw unknownCommandError(found.path, name, Object.keys(subcommands));
    found.parent = found.command;
    found.command = await resolveValue(next);
    found.path.push(name);
    found.rest = found.rest.slice(1);
  }
}

/** Replaces an argument whose name ends in `...` by as many arguments as there are words, for the check. */
function expandRepeated(args: CommandArgs, words: number): CommandArgs {
  const repeated = Object.entries(args).filter(([name]) => name.endsWith('...'));
  const copies = repeated.flatMap(([name, arg]) =>
    Array.from({ length: words }, (_, index) => [`${name}${index}`, arg] as const),
  );
  return { ...args, ...Object.fromEntries(copies) };
}

/** Names that other programs have for these commands. */
const OTHER_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  up: ['start', 'serve', 'server', 'run', 'dev'],
  scrape: ['fetch', 'get', 'read', 'url'],
  crawl: ['spider', 'site'],
  map: ['sitemap', 'links'],
  doctor: ['check', 'status', 'health'],
  setup: ['install', 'init'],
  list: ['ls', 'all'],
  delete: ['rm', 'remove'],
  revoke: ['rm', 'remove', 'delete'],
  create: ['add', 'new'],
  show: ['get', 'info', 'describe'],
};

/** The command for a word that is no command, but what one works on: a URL, or a file. */
function commandFor(word = ''): string | undefined {
  if (/^(https?:\/\/|www\.)/i.test(word)) return `scrape ${word}`;
  return /\.(pdf|docx?|odt|rtf|xlsx?|pptx?|html?|epub|csv)$/i.test(word) ? `parse ${word}` : undefined;
}

function unknownCommandError(path: string[], name: string | undefined, known: string[]): ServiceError {
  const prefix = commandOf(path.join(' '));
  const problem =
    name === undefined ? `\`${prefix}\` needs a command` : `\`${prefix} ${name}\` is not a command`;
  const other = known.find(
    (each) => Object.hasOwn(OTHER_COMMANDS, each) && OTHER_COMMANDS[each]?.includes(name ?? ''),
  );
  const similar = path.length ? undefined : commandFor(name);
  const meant = similar ?? other ?? (name && findSimilarName(name, known));
  return new ServiceError(
    'BAD_REQUEST',
    `${problem}.${meant ? ` Did you mean ${meant}?` : ''} Commands: ${known.join(', ')}. \`${prefix} --help\` explains them.`,
  );
}

async function usage(path: string[], command: Command, parent: Command | undefined): Promise<string> {
  // citty prints only one name above the command, so that name is the whole path.
  const above = parent && { ...parent, meta: { name: commandOf(path.slice(0, -1).join(' ')) } };
  const coloured = await renderUsage(command, above);
  const plain = process.stdout.isTTY ? coloured : stripVTControlCharacters(coloured);
  const text = `${plain}${examplesOf(path)}`;
  if (path.join(' ') === 'mcp') return `${text}\n\n${describeMcpClients()}`;
  if (path[0] !== 'up') return path.length ? text : `${text}\n\n${hint()}`;
  const settings = describeSettings();
  const width = Math.max(...settings.map(({ variable }) => variable.length));
  const rows = settings.map(
    ({ variable, fallback, description }) =>
      `  ${variable.padEnd(width)}  ${description}${fallback && ` [${fallback}]`}`,
  );
  return `${text}\nSETTINGS (environment variables)\n\n${rows.join('\n')}`;
}

/** The examples of a command, below its usage. */
function examplesOf(path: string[]): string {
  const examples = EXAMPLES[path.join(' ')] ?? [];
  return `\nEXAMPLES\n\n${examples.map((words) => `  ${commandOf(words)}`).join('\n')}`;
}

const hint = () =>
  `\`${commandOf('help COMMAND')}\` explains a command, \`${commandOf('up --help')}\` lists the settings, \`${commandOf('--version')}\` prints the version.`;

/**
 * Reports an error of a command.
 * @param command.name the command with all its words
 * @returns the exit code
 */
function report(error: unknown, { name, flags }: { name: string; flags: CommandArgs }): number {
  if (isNamed(error, 'AbortError')) return 130;
  if (isNamed(error, 'CLIError')) {
    // citty ends some sentences with a full stop, and colours words even without a terminal.
    const reason = stripVTControlCharacters(messageOf(error)).replace(/\.$/, '');
    process.stderr.write(`${reason}. \`${name} --help\` explains the arguments.\n`);
    return 2;
  }
  if (error instanceof ServiceError) {
    process.stderr.write(`${withFlagNames(error.message, error.details, flags)}\n`);
    if (error.code === 'SERVICE_UNAVAILABLE') return 3;
    return [400, 401].includes(ERRORS[error.code].status) ? 2 : 1;
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name;

async function resolveValue<T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> {
  // A citty value is never itself a function.
  return typeof value === 'function' ? (value as () => T | Promise<T>)() : value;
}

if (import.meta.main) process.exitCode = await runCli(process.argv.slice(2));
