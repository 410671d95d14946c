import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../../errors.ts';
import type { Database } from '../client.ts';
import { runPrepared } from '../prepared-statements.ts';

/** The caller of the API: the team, the key that was used, and the limits of the team. */
export interface Caller {
  teamId: string;
  apiKeyId: string | null;
  /** `null` means unlimited. */
  creditsRemaining: number | null;
  creditsPlanned: number | null;
  rateLimitPerMinute: number;
  concurrency: number;
  /** Batches, crawls, agents and extracts that may be open at once; `null` means unlimited. */
  openJobs: number | null;
  /** MiB that results may take; `null` means unlimited. */
  storedMegabytes: number | null;
  /** Monitors that the team may have; `null` is the limit of the service. */
  monitors: number | null;
  /** Whether the team may request zero data retention. */
  zeroDataRetention: boolean;
}

/** Name of the team that the service creates at its first start. */
export const FIRST_TEAM = 'default';

/** The hash by which a key is stored and found. */
export const hashKey = (key: string) => createHash('sha256').update(key).digest();

const selectCaller = (db: Database) =>
  db.query
    .selectFrom('teams')
    .select([
      'teams.id as teamId',
      'teams.credits_remaining as creditsRemaining',
      'teams.credits_planned as creditsPlanned',
      'teams.rate_limit_per_minute as rateLimitPerMinute',
      'teams.concurrency',
      'teams.open_jobs as openJobs',
      'teams.stored_megabytes as storedMegabytes',
      'teams.monitors',
      'teams.zero_data_retention as zeroDataRetention',
    ]);

/** Finds the caller that a key belongs to; `undefined` if the key is unknown or revoked. */
export async function findCaller(db: Database, key: string): Promise<Caller | undefined> {
  const callers = selectCaller(db)
    .innerJoin('api_keys', 'api_keys.team_id', 'teams.id')
    .select('api_keys.id as apiKeyId')
    .where('api_keys.hash', '=', hashKey(key))
    .where('api_keys.revoked_at', 'is', null);
  return (await runPrepared(db.query, callers))[0];
}

/** Finds the first team. It is the caller of every request while authentication is off. */
export async function findFirstTeam(db: Database): Promise<Caller | undefined> {
  const team = await selectCaller(db).where('teams.name', '=', FIRST_TEAM).executeTakeFirst();
  return team && { ...team, apiKeyId: null };
}

/** Returns how many requests a team may make in a minute; `undefined` if there is no such team. */
export async function findRateLimit(db: Database, teamId: string): Promise<number | undefined> {
  const team = await db.query
    .selectFrom('teams')
    .select('rate_limit_per_minute')
    .where('id', '=', teamId)
    .executeTakeFirst();
  return team?.rate_limit_per_minute;
}

/**
 * Generates the key that signs a team's webhook events. It is stored unencrypted, because receivers need it
 * too.
 */
const generateWebhookSecret = () => randomBytes(32).toString('hex');

/**
 * Creates a team.
 * @param credits initial credits; `null` means unlimited
 * @returns the id of the team
 * @throws ServiceError `BAD_REQUEST` if the name is invalid or taken
 */
export async function createTeam(db: Database, name: string, credits: number | null): Promise<string> {
  if (!/^[^\p{C}]{1,100}$/u.test(name) || name.trim() !== name)
    throw new ServiceError(
      'BAD_REQUEST',
      'A team’s name has 1 to 100 characters, none of them a control character.',
    );
  const row = await db.query
    .insertInto('teams')
    .values({
      name,
      credits_remaining: credits,
      credits_planned: credits,
      webhook_secret: generateWebhookSecret(),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row)
    throw new ServiceError('BAD_REQUEST', `A team named ${name} exists already. Choose another name.`);
  return row.id;
}

/** The settings of a team that an operator can change. */
export interface TeamChange {
  /** `null` means unlimited. */
  credits?: number | null;
  rateLimitPerMinute?: number;
  concurrency?: number;
  /** Maximum number of browser sessions at once. */
  sessions?: number;
  /** Batches, crawls, agents and extracts that may be open at once; `null` means unlimited. */
  openJobs?: number | null;
  /** Maximum number of monitors; `null` is the limit of the service. */
  monitors?: number | null;
  /** MiB that results may take; `null` means unlimited. */
  storedMegabytes?: number | null;
  /** Tokens of language models that the team may use in a day (UTC); `null` means unlimited. */
  modelTokensPerDay?: number | null;
  /** The key that signs the team's webhook events. */
  webhookSecret?: string;
  /** Whether the team may request zero data retention. */
  zeroDataRetention?: boolean;
}

/** Changes a team. New credits set both the remaining and the planned credits. */
export async function changeTeam(db: Database, name: string, change: TeamChange): Promise<void> {
  const { id } = await findTeam(db, name);
  const {
    credits,
    rateLimitPerMinute,
    concurrency,
    sessions,
    openJobs,
    monitors,
    storedMegabytes,
    webhookSecret,
    zeroDataRetention,
    modelTokensPerDay,
  } = change;
  await db.query
    .updateTable('teams')
    .set({
      ...(credits !== undefined && { credits_remaining: credits, credits_planned: credits }),
      ...(rateLimitPerMinute !== undefined && { rate_limit_per_minute: rateLimitPerMinute }),
      ...(concurrency !== undefined && { concurrency }),
      ...(sessions !== undefined && { sessions }),
      ...(openJobs !== undefined && { open_jobs: openJobs }),
      ...(monitors !== undefined && { monitors }),
      ...(storedMegabytes !== undefined && { stored_megabytes: storedMegabytes }),
      ...(modelTokensPerDay !== undefined && { model_tokens_per_day: modelTokensPerDay }),
      ...(webhookSecret !== undefined && { webhook_secret: webhookSecret }),
      ...(zeroDataRetention !== undefined && { zero_data_retention: zeroDataRetention }),
    })
    .where('id', '=', id)
    .execute();
}

/** Lists all teams, oldest first. */
export async function listTeams(db: Database) {
  return db.query.selectFrom('teams').selectAll().orderBy('created_at').execute();
}

/** Finds a team by its name. @throws ServiceError `NOT_FOUND` if no team has the name */
export async function findTeam(db: Database, name: string) {
  const team = await db.query.selectFrom('teams').selectAll().where('name', '=', name).executeTakeFirst();
  if (!team) throw new ServiceError('NOT_FOUND', `No team is named ${name}. \`team list\` shows them all.`);
  return team;
}

/**
 * Adds an API key to a team. Only the hash and the last four characters of the key are stored.
 * @throws ServiceError `BAD_REQUEST` if the team already has a key of that name
 */
export async function addKey(db: Database, teamId: string, name: string, key: string): Promise<void> {
  const row = await db.query
    .insertInto('api_keys')
    .values({ team_id: teamId, name, hash: hashKey(key), hint: `…${key.slice(-4)}` })
    .onConflict((conflict) => conflict.columns(['team_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row)
    throw new ServiceError('BAD_REQUEST', `The team has a key named ${name} already. Choose another name.`);
}

/** Lists the keys of a team, including revoked ones, oldest first. */
export async function listKeys(db: Database, teamId: string) {
  return db.query
    .selectFrom('api_keys')
    .select(['name', 'hint', 'created_at', 'revoked_at'])
    .where('team_id', '=', teamId)
    .orderBy('created_at')
    .execute();
}

/** Lists the keys of a team with the time when each was last used to begin a job. */
export async function listKeyUses(db: Database, teamId: string) {
  return db.query
    .selectFrom('api_keys')
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('jobs')
          .select('jobs.created_at as last_used_at')
          .where('jobs.team_id', '=', teamId)
          .whereRef('jobs.api_key_id', '=', 'api_keys.id')
          .orderBy('jobs.created_at', 'desc')
          .limit(1)
          .as('uses'),
      (join) => join.onTrue(),
    )
    .select(['name', 'hint', 'api_keys.created_at', 'revoked_at', 'last_used_at'])
    .where('team_id', '=', teamId)
    .orderBy('api_keys.created_at')
    .execute();
}

/** Revokes a key at once. @throws ServiceError `NOT_FOUND` if the team has no valid key of that name */
export async function revokeKey(db: Database, teamId: string, name: string): Promise<void> {
  const row = await db.query
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!row)
    throw new ServiceError('NOT_FOUND', `The team has no valid key named ${name}. \`key list\` shows them.`);
}

/** Finds the team and the name of a key by the key itself; `undefined` if the key is unknown or revoked. */
export async function findKey(db: Database, key: string) {
  return db.query
    .selectFrom('api_keys')
    .innerJoin('teams', 'teams.id', 'api_keys.team_id')
    .select(['api_keys.team_id as teamId', 'teams.name as team', 'api_keys.name as name'])
    .where('hash', '=', hashKey(key))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/**
 * Makes sure that the first team exists and that its key named `default` is the given one. It replaces a
 * different key from an earlier start, and leaves other keys of the team unchanged.
 */
export async function ensureFirstTeam(
  db: Database,
  key: string | undefined,
  credits: number | null,
): Promise<void> {
  await db.query.transaction().execute(async (query) => {
    await query
      .insertInto('teams')
      .values({
        name: FIRST_TEAM,
        credits_remaining: credits,
        credits_planned: credits,
        webhook_secret: generateWebhookSecret(),
        zero_data_retention: true,
      })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    if (key === undefined) return;
    // Processes may start at the same time. The lock makes them insert one after another, because the table
    // has two unique constraints and `on conflict` handles only one of them.
    const { id } = await query
      .selectFrom('teams')
      .select('id')
      .where('name', '=', FIRST_TEAM)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const row = { hash: hashKey(key), hint: `…${key.slice(-4)}`, revoked_at: null };
    await query
      .insertInto('api_keys')
      .values({ team_id: id, name: 'default', ...row })
      .onConflict((conflict) => conflict.columns(['team_id', 'name']).doUpdateSet(row))
      .execute();
  });
}
