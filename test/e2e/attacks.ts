import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import type { TeamAccess } from '../../bench/attacks/attacker.ts';
import { GROUPS } from '../../bench/attacks/index.ts';
import { runAttacks, type Sites, startSites } from '../../bench/attacks/run-attack.ts';
import { OPERATOR_ROUTES } from '../../src/api/operator/routes.ts';
import { V1_ROUTES } from '../../src/api/v1/routes.ts';
import { fieldsOf } from '../../src/json/json-object.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { useService } from '../support/service/use-service.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { IS_FULL_RUN } from '../support/suite/corpus.ts';

/**
 * The short form of `bench/attacks.ts`. `faults.test.ts` runs these tests, because the attacks take up parts
 * of the service that other files would miss.
 */

const SECONDS = IS_FULL_RUN ? 10 : 1;
const TIMEOUT_MS = IS_FULL_RUN ? 10_000 : 3_000;
const MAX_LANES = IS_FULL_RUN ? 10 : 3;
const service = useService();
const db = useDatabase();
const called = new Set<string>();
let attempts = 0;
let sites: Sites;
let other: TeamAccess;
let open: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  sites = await startSites();
  open = await startApi({ WINNOW_AUTH: 'off' });
  other = { url: service.url, key: (await makeTeam(db)).key };
  return () => Promise.all([sites[Symbol.asyncDispose](), open[Symbol.asyncDispose]()]);
});

it.each(Object.entries(GROUPS))(
  'fails nobody and ends no process by %s',
  async (_name, attacks) => {
    const outcome = await runAttacks(attacks, {
      service,
      makeTeam: async () => ({ url: service.url, key: (await makeTeam(db)).key }),
      other,
      sites,
      openUrl: open.url,
      seconds: SECONDS,
      timeoutMs: TIMEOUT_MS,
      maxLanes: MAX_LANES,
    });
    for (const operation of outcome.called) called.add(operation);
    const { strange, ended, meanwhile } = outcome;
    expect({ strange, ended, errors: meanwhile.errors }).toEqual({ strange: [], ended: [], errors: [] });
    expect(meanwhile.times).not.toEqual([]);
    attempts += outcome.attempts.held;
  },
  300_000,
);

it('has tried to reach what is not its own, in every way that the attacks know', () => {
  expect(attempts).toBeGreaterThan(process.getuid?.() === 0 ? 300 : 100);
});

const uncalled = (operations: string[]) => operations.filter((operation) => !called.has(operation));

it('uses each operation of the API reference badly', () => {
  const reference: unknown = JSON.parse(
    readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
  );
  expect(uncalled(operationsOf(reference))).toEqual([]);
});

it('uses each route of version 1 and of the operator badly', () => {
  const routes = [...V1_ROUTES, ...OPERATOR_ROUTES];
  const operations = routes.map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
  );
  expect(uncalled(operations)).toEqual([]);
});

/** The operations of the API reference, as `METHOD /path/{parameter}`. */
function operationsOf(reference: unknown): string[] {
  return Object.entries(fieldsOf(fieldsOf(reference).paths)).flatMap(([path, methods]) =>
    Object.keys(fieldsOf(methods)).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
