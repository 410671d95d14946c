import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Database } from './client.ts';

/** Who calls: the team, the key used, and what the team may do. */
export interface Caller {
  teamId: string;
  apiKeyId: string | null;
  /** `null` is unlimited. */
  creditsRemaining: number | null;
  creditsPlanned: number | null;
  rateLimitPerMinute: number;
  concurrency: number;
  /** May ask for zero data retention. */
  zeroDataRetention: boolean;
}

/** The team that exists from the first start on. */
export const FIRST_TEAM = 'default';

const hashOf = (key: string) => createHash('sha256').update(key).digest();

const caller = (db: Database) =>
  db.query
    .selectFrom('teams')
    .select([
      'teams.id as teamId',
      'teams.credits_remaining as creditsRemaining',
      'teams.credits_planned as creditsPlanned',
      'teams.rate_limit_per_minute as rateLimitPerMinute',
      'teams.concurrency',
      'teams.zero_data_retention as zeroDataRetention',
    ]);

/** The caller that a key stands for; `undefined` for a key that is unknown or revoked. */
export async function findCaller(db: Database, key: string): Promise<Caller | undefined> {
  return caller(db)
    .innerJoin('api_keys', 'api_keys.team_id', 'teams.id')
    .select('api_keys.id as apiKeyId')
    .where('api_keys.hash', '=', hashOf(key))
    .where('api_keys.revoked_at', 'is', null)
    .executeTakeFirst();
}

/** The first team without a key: who everybody is while authentication is off. */
export async function findFirstTeam(db: Database): Promise<Caller | undefined> {
  const team = await caller(db).where('teams.name', '=', FIRST_TEAM).executeTakeFirst();
  return team && { ...team, apiKeyId: null };
}

/** A new key: `fc-` and 32 letters and digits, so that it fits a WebSocket subprotocol. */
export function makeKey(): string {
  return `fc-${randomBytes(16).toString('hex')}`;
}

/** Signs the events that go to a team's webhooks; who receives them must know it, so it is kept as it is. */
const makeWebhookSecret = () => randomBytes(32).toString('hex');

/**
 * Makes a team.
 * @param credits what it starts with; `null` is unlimited
 * @throws ServiceError `BAD_REQUEST` when the name is taken
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
      webhook_secret: makeWebhookSecret(),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row)
    throw new ServiceError('BAD_REQUEST', `A team named ${name} exists already. Choose another name.`);
  return row.id;
}

/** What the operator may change of a team. */
export interface TeamChange {
  /** `null` is unlimited. */
  credits?: number | null;
  rateLimitPerMinute?: number;
  concurrency?: number;
  /** Key of the signatures of its webhooks. */
  webhookSecret?: string;
  /** Whether it may ask for zero data retention. */
  zeroDataRetention?: boolean;
}

/** Changes a team; credits given become both what is left and what is planned. */
export async function changeTeam(db: Database, name: string, change: TeamChange): Promise<void> {
  const { id } = await findTeam(db, name);
  const { credits, rateLimitPerMinute, concurrency, webhookSecret, zeroDataRetention } = change;
  await db.query
    .updateTable('teams')
    .set({
      ...(credits !== undefined && { credits_remaining: credits, credits_planned: credits }),
      ...(rateLimitPerMinute !== undefined && { rate_limit_per_minute: rateLimitPerMinute }),
      ...(concurrency !== undefined && { concurrency }),
      ...(webhookSecret !== undefined && { webhook_secret: webhookSecret }),
      ...(zeroDataRetention !== undefined && { zero_data_retention: zeroDataRetention }),
    })
    .where('id', '=', id)
    .execute();
}

/** All teams, oldest first. */
export async function listTeams(db: Database) {
  return db.query.selectFrom('teams').selectAll().orderBy('created_at').execute();
}

/** @throws ServiceError `NOT_FOUND` when no team has the name */
export async function findTeam(db: Database, name: string) {
  const team = await db.query.selectFrom('teams').selectAll().where('name', '=', name).executeTakeFirst();
  if (!team) throw new ServiceError('NOT_FOUND', `No team is named ${name}. \`team list\` shows them all.`);
  return team;
}

/**
 * Stores a key of a team; only its hash is kept.
 * @throws ServiceError `BAD_REQUEST` when the team has a key of that name
 */
export async function addKey(db: Database, teamId: string, name: string, key: string): Promise<void> {
  const row = await db.query
    .insertInto('api_keys')
    .values({ team_id: teamId, name, hash: hashOf(key), hint: `…${key.slice(-4)}` })
    .onConflict((conflict) => conflict.columns(['team_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row)
    throw new ServiceError('BAD_REQUEST', `The team has a key named ${name} already. Choose another name.`);
}

/** The keys of a team, oldest first, revoked ones too. */
export async function listKeys(db: Database, teamId: string) {
  return db.query
    .selectFrom('api_keys')
    .select(['name', 'hint', 'created_at', 'revoked_at'])
    .where('team_id', '=', teamId)
    .orderBy('created_at')
    .execute();
}

/** Makes a key invalid at once. @throws ServiceError `NOT_FOUND` when no valid key of the team has the name */
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

/** The team and the name of a valid key, by the key itself; `undefined` where no valid key is that. */
export async function findKey(db: Database, key: string) {
  return db.query
    .selectFrom('api_keys')
    .innerJoin('teams', 'teams.id', 'api_keys.team_id')
    .select(['api_keys.team_id as teamId', 'teams.name as team', 'api_keys.name as name'])
    .where('hash', '=', hashOf(key))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/**
 * Makes sure that the first team exists and that its key is the given one: a different key of an earlier start is
 * replaced, other keys stay.
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
        webhook_secret: makeWebhookSecret(),
        zero_data_retention: true,
      })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    if (key === undefined) return;
    // The lock lets processes that start at once come one after the other: a key has two unique columns, and
    // `on conflict` watches one of them.
    const { id } = await query
      .selectFrom('teams')
      .select('id')
      .where('name', '=', FIRST_TEAM)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const row = { hash: hashOf(key), hint: `…${key.slice(-4)}`, revoked_at: null };
    await query
      .insertInto('api_keys')
      .values({ team_id: id, name: 'default', ...row })
      .onConflict((conflict) => conflict.columns(['team_id', 'name']).doUpdateSet(row))
      .execute();
  });
}
