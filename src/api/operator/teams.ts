import * as schemas from '../../schemas/operator.ts';
import { keysResponse } from '../../schemas/team.ts';
import { generateKey } from '../../storage/db/teams/generate-key.ts';
import {
  addKey,
  changeTeam,
  createTeam,
  findTeam,
  listTeams,
  revokeKey,
} from '../../storage/db/teams/teams.ts';
import { defineRoute } from '../http/route.ts';
import { describeKeys } from '../team.ts';

const teams = { tag: 'Teams', rateLimited: false } as const;
const keys = { ...teams, tag: 'Keys' } as const;

type Team = Awaited<ReturnType<typeof findTeam>>;

const describeTeam = (team: Team) => ({
  id: team.id,
  name: team.name,
  creditsRemaining: team.credits_remaining,
  creditsPlanned: team.credits_planned,
  rateLimitPerMinute: team.rate_limit_per_minute,
  concurrency: team.concurrency,
  sessions: team.sessions,
  openJobs: team.open_jobs,
  monitors: team.monitors,
  storedMegabytes: team.stored_megabytes,
  modelTokensPerDay: team.model_tokens_per_day,
  zeroDataRetention: team.zero_data_retention,
  createdAt: team.created_at.toISOString(),
});

/** The operator's routes for teams and their keys, which do what `team` and `key` of the command line do. */
export const teamRoutes = [
  defineRoute({
    ...teams,
    method: 'get',
    path: '/admin/teams',
    summary: 'List all teams with their limits',
    response: schemas.teamsResponse,
    errors: [],
    async handler(_request, { db }) {
      return { success: true, data: (await listTeams(db)).map(describeTeam) };
    },
  }),
  defineRoute({
    ...teams,
    method: 'post',
    path: '/admin/teams',
    summary: 'Create a team',
    body: schemas.newTeamBody,
    response: schemas.teamResponse,
    errors: ['BAD_REQUEST'],
    async handler({ body: { name, credits } }, { db, config }) {
      await createTeam(db, name, credits === undefined ? config.teamCredits : credits);
      return { success: true, data: describeTeam(await findTeam(db, name)) };
    },
  }),
  defineRoute({
    ...teams,
    method: 'get',
    path: '/admin/teams/:name',
    summary: 'Get the limits of a team',
    params: schemas.teamParams,
    response: schemas.teamResponse,
    errors: ['NOT_FOUND'],
    async handler({ params: { name } }, { db }) {
      return { success: true, data: describeTeam(await findTeam(db, name)) };
    },
  }),
  defineRoute({
    ...teams,
    method: 'patch',
    path: '/admin/teams/:name',
    summary: 'Change the limits of a team',
    params: schemas.teamParams,
    body: schemas.teamChangeBody,
    response: schemas.teamResponse,
    errors: ['NOT_FOUND'],
    async handler({ params: { name }, body }, { db }) {
      const given = Object.entries(body).filter(([, value]) => value !== undefined);
      await changeTeam(db, name, Object.fromEntries(given));
      return { success: true, data: describeTeam(await findTeam(db, name)) };
    },
  }),
  defineRoute({
    ...keys,
    method: 'get',
    path: '/admin/teams/:name/keys',
    summary: 'List the keys of a team',
    params: schemas.teamParams,
    response: keysResponse,
    errors: ['NOT_FOUND'],
    async handler({ params: { name } }, { db }) {
      const { id } = await findTeam(db, name);
      return { success: true, data: await describeKeys(db, id) };
    },
  }),
  defineRoute({
    ...keys,
    method: 'post',
    path: '/admin/teams/:name/keys',
    summary: 'Create a key, which is shown once',
    params: schemas.teamParams,
    body: schemas.newKeyBody,
    response: schemas.newKeyResponse,
    errors: ['NOT_FOUND', 'BAD_REQUEST'],
    async handler({ params: { name }, body }, { db }) {
      const key = generateKey();
      await addKey(db, (await findTeam(db, name)).id, body.name, key);
      return { success: true, data: { name: body.name, key } };
    },
  }),
  defineRoute({
    ...keys,
    method: 'delete',
    path: '/admin/teams/:name/keys/:key',
    summary: 'Revoke a key at once',
    params: schemas.keyParams,
    response: schemas.revokedResponse,
    errors: ['NOT_FOUND'],
    async handler({ params: { name, key } }, { db }) {
      await revokeKey(db, (await findTeam(db, name)).id, key);
      return { success: true };
    },
  }),
];
