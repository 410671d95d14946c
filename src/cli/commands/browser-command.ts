import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { defineCommand } from 'citty';
import { commandOf } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { parseWholeNumber } from '../arguments.ts';
import { fileFault } from '../file-fault.ts';
import { printTable } from '../print-table.ts';
import { askRunningService as ask } from '../running-service.ts';

const PATH = '/v2/browser';
const id = { type: 'positional', description: 'id of the session', required: true } as const;

/** The language of a file of code, by the ending of its name. */
const LANGUAGES: Record<string, string> = { '.py': 'python', '.sh': 'bash' };

const open = defineCommand({
  meta: { name: 'open', description: 'start a session and print its id and URLs' },
  args: {
    ttl: { type: 'string', valueHint: 'seconds', description: 'lifetime, 30 to 3600; default 600' },
    'activity-ttl': {
      type: 'string',
      valueHint: 'seconds',
      description: 'time without activity after which it ends, 10 to 3600; default 300',
    },
    profile: { type: 'string', valueHint: 'name', description: 'load and save this browser profile' },
  },
  async run({ args }) {
    const body = {
      ttl: parseWholeNumber('ttl', args.ttl, 'seconds'),
      activityTtl: parseWholeNumber('activity-ttl', args['activity-ttl'], 'seconds'),
      ...(args.profile && { profile: { name: args.profile } }),
      origin: 'cli',
    };
    const { success: _, ...session } = await ask('Starting a browser', { method: 'POST', path: PATH, body });
    for (const [name, value] of Object.entries(session)) process.stdout.write(`${name.padEnd(24)}${value}\n`);
  },
});

const list = defineCommand({
  meta: { name: 'list', description: 'list the sessions of the team' },
  async run() {
    const { sessions } = await ask('Reading the sessions', { method: 'GET', path: PATH });
    const rows = (Array.isArray(sessions) ? sessions : []).map(fieldsOf);
    if (!rows.length) process.stderr.write('The team has no browser sessions.\n');
    else
      printTable(
        rows.map((session) => ({
          id: String(session.id),
          status: String(session.status),
          'ended by': String(session.endReason ?? ''),
          created: String(session.createdAt),
          'last activity': String(session.lastActivity),
          expires: String(session.expiresAt),
        })),
      );
  },
});

const close = defineCommand({
  meta: { name: 'close', description: 'end a session and print its price' },
  args: { id },
  async run({ args }) {
    const ended = await ask('Ending the session', { method: 'DELETE', path: `${PATH}/${args.id}` });
    const seconds = Math.round(Number(ended.sessionDurationMs) / 1000);
    process.stdout.write(
      `${args.id} has ended after ${seconds} s and cost ${ended.creditsBilled} credits.\n`,
    );
  },
});

const run = defineCommand({
  meta: { name: 'run', description: 'run a file of code in a session; exits with the exit code of the code' },
  args: {
    id,
    file: { type: 'positional', description: '.js, .py or .sh; - for standard input', required: true },
    language: {
      type: 'enum',
      options: ['node', 'python', 'bash'],
      description: 'language of the code; by default by the ending of the file, else node',
    },
    timeout: { type: 'string', valueHint: 'seconds', description: 'time limit, 1 to 300; default 30' },
  },
  async run({ args }) {
    const body = {
      code: readCode(args.file),
      language: args.language ?? LANGUAGES[extname(args.file)] ?? 'node',
      timeout: parseWholeNumber('timeout', args.timeout),
      origin: 'cli',
    };
    const path = `${PATH}/${args.id}/execute`;
    const { stdout, stderr, result, exitCode, error } = await ask('Running the code', {
      method: 'POST',
      path,
      body,
    });
    process.stdout.write(String(stdout));
    process.stderr.write(String(stderr));
    // In bash, the result is the output.
    if (result && body.language !== 'bash') process.stdout.write(`${result}\n`);
    // An exception is on stderr already; a time limit is not.
    if (error && !String(stderr).includes(String(error))) process.stderr.write(`${error}\n`);
    process.exitCode = Number(exitCode);
  },
});

const prompt = defineCommand({
  meta: { name: 'prompt', description: 'let a language model use a page, and keep the session open' },
  args: {
    page: { type: 'positional', description: 'a URL, or the id of a scrape', required: true },
    prompt: { type: 'positional', description: 'the task', required: true },
    timeout: { type: 'string', valueHint: 'seconds', description: 'time limit, 1 to 300; default 30' },
  },
  async run({ args }) {
    const timeout = parseWholeNumber('timeout', args.timeout);
    const scrapeId = /^https?:/i.test(args.page) ? await scrapePage(args.page) : args.page;
    const path = `/v2/scrape/${scrapeId}/interact`;
    const body = { prompt: args.prompt, timeout, origin: 'cli' };
    const request = { method: 'POST', path, body } as const;
    const result = await ask('The language model is at work', request).catch(adviseCode);
    const { output, stdout, exitCode, error, sessionId } = result;
    process.stderr.write(String(stdout));
    if (output) process.stdout.write(`${output}\n`);
    if (error) process.stderr.write(`${error}\n`);
    process.stderr.write(
      `\`${commandOf(`browser prompt ${scrapeId} …`)}\` goes on in this page, and \`${commandOf(`browser close ${sessionId}`)}\` ends it.\n`,
    );
    process.exitCode = Number(exitCode);
  },
});

/**
 * Says in the words of the command line what takes the place of a prompt, where there is no language model.
 */
function adviseCode(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'MODEL_NOT_CONFIGURED') throw error;
  const advice = `Or run code: \`${commandOf('browser open')}\`, then \`${commandOf('browser run ID FILE')}\`.`;
  throw new ServiceError(error.code, error.message.replace(/Send code instead\.$/, advice), { cause: error });
}

/** Scrapes a page, which a session can then continue. @returns the id of the scrape */
async function scrapePage(url: string): Promise<string> {
  const body = { url, origin: 'cli' };
  const { data } = await ask(`Scraping ${url}`, { method: 'POST', path: '/v2/scrape', body });
  return String(fieldsOf(fieldsOf(data).metadata).scrapeId);
}

function readCode(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new ServiceError('BAD_REQUEST', `${file} cannot be read: ${fileFault(error, 'read')}.`);
  }
}

/** `browser`: manages browser sessions. */
export const browserCommand = defineCommand({
  meta: { name: 'browser', description: 'browser sessions: open, list, close, run, prompt' },
  subCommands: { open, list, close, run, prompt },
});
