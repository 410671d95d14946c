import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { RUN_CREDITS } from '../../../src/storage/agent-steps/step.ts';
import {
  addTurn,
  findRun,
  finishStep,
  insertRun,
  listSteps,
} from '../../../src/storage/db/jobs/agent-steps.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';

const db = useDatabase();

/**
 * Starts agents of one team, which no workflow runs.
 * @returns what their activities know of them once all have started
 */
async function startRuns(credits: number, count: number) {
  const team = await makeTeam(db, { credits });
  const ids = Array.from({ length: count }, () => uuidv7());
  for (const id of ids)
    await insertRun(db.query, {
      id,
      teamId: team.id,
      apiKeyId: null,
      kind: 'agent',
      target: null,
      request: {},
      ttlMs: 3_600_000,
      webhook: undefined,
      baseUrl: 'http://winnow.test',
    });
  return Promise.all(ids.map(async (id) => (await findRun(db, id))!));
}

const turnWith = (...reserved: number[]) => ({
  turn: 0,
  step: { tool: 'think' as const, summary: '', input: {}, blob: null },
  calls: reserved.map((credits) => ({
    tool: 'scrape' as const,
    summary: 'http://a.test/',
    input: {},
    error: null,
    reserved: credits,
  })),
});

it('agents of a team that start calls at the same time reserve no more than the team has left', async () => {
  const runs = await startRuns(100, 8);
  await Promise.all(runs.map((run) => addTurn(db, run, turnWith(10, 10))));
  const steps = (await Promise.all(runs.map(({ id }) => listSteps(db, id)))).flat();
  const calls = steps.filter(({ tool }) => tool === 'scrape');
  const running = calls.filter(({ state }) => state === 'running');
  expect(calls).toHaveLength(16);
  expect(running).toHaveLength(Math.floor((100 - 8 * RUN_CREDITS) / 10));
  expect(calls.find(({ state }) => state === 'failed')?.error).toContain('Other work of the team');
});

it('an agent gets back what a call of another one has reserved but not cost', async () => {
  const [first, second] = await startRuns(50, 2);
  expect(second!.teamCredits).toBe(50 - RUN_CREDITS);
  await addTurn(db, first!, turnWith(30));
  expect((await findRun(db, second!.id))!.teamCredits).toBe(50 - RUN_CREDITS - 30);
  await finishStep(db, first!.id, { sequence: 1, state: 'done', credits: 2, blob: null, error: null });
  expect((await findRun(db, second!.id))!.teamCredits).toBe(50 - RUN_CREDITS - 2);
});
