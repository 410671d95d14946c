import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOperatorAuth } from '../../src/api/operator/operator-key.ts';
import { OPERATOR_ROUTES } from '../../src/api/operator/routes.ts';
import { describeOperatorApi } from '../../src/api/reference/openapi.ts';
import { call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';

/** The routes below `/admin`, which are the operator's. */

const service = useService();
let adminKey: string;
beforeAll(() => {
  adminKey = readFileSync(join(service.dataDir, 'admin-key'), 'utf8').trim();
});
const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
  call(`/admin${path}`, { key: adminKey, ...options });
let teams = 0;
/** Makes a team of its own for a test. */
async function makeTeam(): Promise<string> {
  const name = `Operated ${Date.now()}/${++teams}`;
  const { status } = await ask('/teams', { body: { name, credits: 7 } });
  expect(status).toBe(200);
  return encodeURIComponent(name);
}

it('the key of the operator is generated at the first start, for its user alone', () => {
  expect(adminKey).toMatch(/^admin-[0-9a-f]{32}$/);
  expect(statSync(join(service.dataDir, 'admin-key')).mode & 0o777).toBe(0o600);
});

describe('every route of the operator', () => {
  it.each(OPERATOR_ROUTES.map(({ method, path }) => [method.toUpperCase(), path]))(
    '%s %s is refused to the key of a team, and to nobody',
    async (method, path) => {
      for (const key of [service.key, null, '']) {
        const { status, body } = await call(path.replace(/:\w+/g, 'default'), { method, key });
        expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
        expect(body.error).toContain('operator');
      }
    },
  );

  it('is described by a reference of its own, not in that for teams', async () => {
    const { body } = await call('/admin/openapi.json', { key: null });
    expect(body).toEqual(JSON.parse(JSON.stringify(describeOperatorApi(OPERATOR_ROUTES))));
    const known = Object.keys(body.paths).toSorted();
    expect(known).toEqual(
      [...new Set(OPERATOR_ROUTES.map(({ path }) => path.replace(/:(\w+)/g, '{$1}')))].toSorted(),
    );
    const { body: ofTeams } = await call('/openapi.json', { key: null });
    expect(Object.keys(ofTeams.paths).filter((path) => path.startsWith('/admin'))).toEqual([]);
  });
});

it('without a key of the operator, the routes say which setting is missing', async () => {
  await expect(createOperatorAuth(undefined)('Bearer anything')).rejects.toThrow('WINNOW_ADMIN_KEY');
});

it('a team is made, changed and listed', async () => {
  const name = await makeTeam();
  const change = {
    credits: null,
    concurrency: 3,
    sessions: 0,
    openJobs: 5,
    monitors: null,
    storedMegabytes: 2_000,
    modelTokensPerDay: 1_000,
    zeroDataRetention: true,
  };
  const { body } = await ask(`/teams/${name}`, { method: 'PATCH', body: change });
  expect(body.data).toMatchObject({
    name: decodeURIComponent(name),
    creditsRemaining: null,
    creditsPlanned: null,
    concurrency: 3,
    sessions: 0,
    openJobs: 5,
    monitors: null,
    storedMegabytes: 2_000,
    modelTokensPerDay: 1_000,
    zeroDataRetention: true,
  });
  expect((await ask('/teams')).body.data).toContainEqual(body.data);
  expect((await ask(`/teams/${name}`)).body.data).toEqual(body.data);
});

it('keys are made, used, listed and revoked at once', async () => {
  const name = await makeTeam();
  const { body } = await ask(`/teams/${name}/keys`, { body: { name: 'ci / main' } });
  const { key } = body.data;
  const balance = () => call('/v2/team/credit-usage', { key });
  expect((await balance()).body.data.remainingCredits).toBe(7);
  const listed = await ask(`/teams/${name}/keys`);
  expect(listed.body.data).toMatchObject([{ name: 'ci / main', revokedAt: null }]);
  expect(JSON.stringify(listed.body)).not.toContain(key);
  const path = `/teams/${name}/keys/${encodeURIComponent('ci / main')}`;
  expect((await ask(path, { method: 'DELETE' })).status).toBe(200);
  expect((await balance()).status).toBe(401);
  expect((await ask(path, { method: 'DELETE' })).status).toBe(404);
});

it.each<[string, string, object, RegExp]>([
  ['PATCH', '/teams/default', {}, /nothing to change.*rateLimitPerMinute/i],
  ['PATCH', '/teams/default', { concurrency: 0 }, /concurrency.*at least 1/],
  ['PATCH', '/teams/default', { rateLimit: 5 }, /rateLimit/],
  ['PATCH', '/teams/default', { sessions: 1e12 }, /sessions/],
  ['PATCH', '/teams/default', { credits: -1 }, /credits/],
  ['POST', '/teams', { name: '' }, /1 to 100 characters/],
  ['POST', '/teams', { name: 'default' }, /exists already/],
  ['POST', '/teams/default/keys', { name: 'default' }, /already/],
])('%s %s refuses %j', async (method, path, body, error) => {
  const response = await ask(path, { method, body });
  expect([response.status, response.body.error]).toEqual([400, expect.stringMatching(error)]);
});

it('an unknown team is a 404', async () => {
  const { status, body } = await ask('/teams/nobody', { method: 'PATCH', body: { sessions: 1 } });
  expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
});

it('the health of the service has its parts, workers, disks and versions', async () => {
  const { body } = await ask('/health');
  expect(body.data).toMatchObject({
    isReady: true,
    parts: { database: 'ok', blobs: 'ok', temporal: 'ok', workers: 'ok' },
    workers: [
      { roles: expect.arrayContaining(['scrape', 'pages', 'webhooks']), hasRoom: expect.any(Boolean) },
    ],
    versions: { node: process.version, postgres: expect.stringMatching(/^\d+/) },
  });
  expect(body.data.databaseBytes).toBeGreaterThan(1e6);
  const [disk] = body.data.disks;
  expect(disk.path).toBe(service.dataDir);
  expect(disk.freeBytes).toBeLessThan(disk.totalBytes);
});
