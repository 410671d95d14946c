import { defineCommand } from 'citty';
import { ServiceError } from '../../errors.ts';
import { NEEDS_SLOT } from '../../schemas/operator.ts';
import { changeTeam, createTeam, findTeam, listTeams } from '../../storage/db/teams/teams.ts';
import { parseSwitch, parseWholeNumber } from '../arguments.ts';
import { printTable } from '../print-table.ts';
import { withDatabase } from '../with-database.ts';

const name = { type: 'positional', description: 'name of the team', required: true } as const;
const credits = {
  type: 'string',
  valueHint: 'number',
  description: 'credits left; the word unlimited removes the limit',
} as const;

/**
 * Parses a number that may be unlimited, which is `null`.
 * @throws ServiceError `BAD_REQUEST` for any other word
 */
function parseLimit(name: string, text: string | undefined): number | null | undefined {
  if (text === 'unlimited') return null;
  if (text === undefined || /^\d+$/.test(text)) return parseWholeNumber(name, text);
  throw new ServiceError(
    'BAD_REQUEST',
    `--${name} must be a whole number or the word unlimited, not '${text}'.`,
  );
}

type Team = Awaited<ReturnType<typeof listTeams>>[number];

const toRow = (team: Team) => ({
  name: team.name,
  credits: team.credits_remaining ?? 'unlimited',
  'requests/min': team.rate_limit_per_minute,
  concurrency: team.concurrency,
  sessions: team.sessions,
  'open jobs': team.open_jobs ?? 'unlimited',
  monitors: team.monitors ?? 'default',
  'stored MiB': team.stored_megabytes ?? 'unlimited',
  'model tokens/day': team.model_tokens_per_day ?? 'unlimited',
  'zero data retention': team.zero_data_retention ? 'on' : 'off',
  created: team.created_at.toISOString(),
  id: team.id,
});

const create = defineCommand({
  meta: { name: 'create', description: 'create a team' },
  args: { name, credits },
  run: ({ args }) =>
    withDatabase(async (db, { teamCredits }) => {
      const credits = parseLimit('credits', args.credits);
      await createTeam(db, args.name, credits === undefined ? teamCredits : credits);
      printTable([toRow(await findTeam(db, args.name))]);
    }),
});

const list = defineCommand({
  meta: { name: 'list', description: 'list all teams' },
  run: () => withDatabase(async (db) => printTable((await listTeams(db)).map(toRow))),
});

const show = defineCommand({
  meta: { name: 'show', description: 'show one team' },
  args: { name },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const team = await findTeam(db, args.name);
      printTable([{ ...toRow(team), 'webhook secret': team.webhook_secret ?? '' }]);
    }),
});

const set = defineCommand({
  meta: { name: 'set', description: 'change the limits of a team' },
  args: {
    name,
    credits,
    'rate-limit': { type: 'string', valueHint: 'number', description: 'requests per minute' },
    concurrency: { type: 'string', valueHint: 'number', description: 'pages at a time' },
    sessions: { type: 'string', valueHint: 'number', description: 'browser sessions at a time; 0 for none' },
    'open-jobs': {
      type: 'string',
      valueHint: 'number',
      description:
        'batches, crawls, agents and extracts that are open at once; the word unlimited removes the limit',
    },
    monitors: {
      type: 'string',
      valueHint: 'number',
      description: 'monitors; the word default is WINNOW_MAX_MONITORS',
    },
    'stored-mb': {
      type: 'string',
      valueHint: 'number',
      description: 'MiB of results that have not expired; the word unlimited removes the limit',
    },
    'model-tokens': {
      type: 'string',
      valueHint: 'number',
      description:
        'tokens of the language model in a day (UTC), after which rules take its place; the word unlimited removes the limit',
    },
    'zero-data-retention': {
      type: 'string',
      valueHint: 'on|off',
      description: 'whether its jobs may request zero data retention',
    },
  },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const credits = parseLimit('credits', args.credits);
      const rateLimitPerMinute = parseWholeNumber('rate-limit', args['rate-limit']);
      const concurrency = parseWholeNumber('concurrency', args.concurrency);
      const sessions = parseWholeNumber('sessions', args.sessions);
      const openJobs = parseLimit('open-jobs', args['open-jobs']);
      const monitors = args.monitors === 'default' ? null : parseWholeNumber('monitors', args.monitors);
      const storedMegabytes = parseLimit('stored-mb', args['stored-mb']);
      const modelTokensPerDay = parseLimit('model-tokens', args['model-tokens']);
      const zeroDataRetention = parseSwitch('zero-data-retention', args['zero-data-retention']);
      if (concurrency === 0) throw new ServiceError('BAD_REQUEST', `--concurrency ${NEEDS_SLOT}.`);
      const change = {
        ...(credits !== undefined && { credits }),
        ...(rateLimitPerMinute !== undefined && { rateLimitPerMinute }),
        ...(concurrency !== undefined && { concurrency }),
        ...(sessions !== undefined && { sessions }),
        ...(openJobs !== undefined && { openJobs }),
        ...(monitors !== undefined && { monitors }),
        ...(storedMegabytes !== undefined && { storedMegabytes }),
        ...(modelTokensPerDay !== undefined && { modelTokensPerDay }),
        ...(zeroDataRetention !== undefined && { zeroDataRetention }),
      };
      if (!Object.keys(change).length) {
        throw new ServiceError(
          'BAD_REQUEST',
          'There is nothing to change. Set --credits, --rate-limit, --concurrency, --sessions, --open-jobs, --monitors, --stored-mb, --model-tokens or --zero-data-retention.',
        );
      }
      await changeTeam(db, args.name, change);
      printTable([toRow(await findTeam(db, args.name))]);
    }),
});

const setCredits = defineCommand({
  meta: { name: 'credits', description: 'set the credits that a team has left' },
  args: {
    name,
    amount: { type: 'positional', description: 'a number, or the word unlimited', required: true },
  },
  run: ({ args }) =>
    withDatabase(async (db) => {
      await changeTeam(db, args.name, { credits: parseLimit('credits', args.amount) ?? null });
      printTable([toRow(await findTeam(db, args.name))]);
    }),
});

/** `team`: manages teams and their limits. */
export const teamCommand = defineCommand({
  meta: { name: 'team', description: 'teams: create, list, show, set, credits' },
  subCommands: { create, list, show, set, credits: setCredits },
});
