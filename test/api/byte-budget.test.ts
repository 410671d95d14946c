import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { ByteBudget } from '../../src/api/http/byte-budget.ts';

/** The memory for files that are being received. */

const budgetOf = (bytes: number, bytesOfTeam = bytes) =>
  new ByteBudget({ bytes, bytesOfTeam, maxWaitMs: 60_000, what: 'files' });

/** Ends the clients of all requests, so that none of them waits for longer than its test. */
const open: { response: PassThrough; release: Promise<unknown> }[] = [];
afterEach(async () => {
  for (const { response } of open) response.destroy();
  await Promise.allSettled(open.map(({ release }) => release));
  open.length = 0;
});

/** Takes bytes. @returns what has been taken so far */
function takeAll(budget: ByteBudget, sizes: number[], teamId = 'a') {
  const taken: number[] = [];
  const requests = sizes.map((bytes) => {
    const response = new PassThrough();
    const release = budget.take({ teamId, bytes, response }).then((free) => {
      taken.push(bytes);
      return free;
    });
    return { response, release };
  });
  open.push(...requests);
  return { taken, requests };
}

it('a budget is given in the order of the requests, and again after it was returned', async () => {
  const { taken, requests } = takeAll(budgetOf(10), [6, 4, 5, 1]);
  await turn();
  expect(taken).toEqual([6, 4]);
  (await requests[1]!.release)();
  await turn();
  // The last request would fit, but it does not overtake.
  expect(taken).toEqual([6, 4]);
  (await requests[0]!.release)();
  await turn();
  expect(taken).toEqual([6, 4, 5, 1]);
});

it('a part of a budget is returned once, even if it is released twice', async () => {
  const budget = budgetOf(10);
  const { requests } = takeAll(budget, [10]);
  const release = await requests[0]!.release;
  release();
  release();
  const { taken } = takeAll(budget, [10, 1]);
  await turn();
  expect(taken).toEqual([10]);
});

it('a request whose client has gone gets nothing and holds nobody up', async () => {
  const { taken, requests } = takeAll(budgetOf(10), [8, 9, 2]);
  await turn();
  expect(taken).toEqual([8]);
  requests[1]!.response.destroy();
  await expect(requests[1]!.release).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(taken).toEqual([8, 2]);
});

it('the bytes of a response that closes are free again', async () => {
  const { taken, requests } = takeAll(budgetOf(10), [10, 10]);
  await requests[0]!.release;
  requests[0]!.response.destroy();
  await requests[1]!.release;
  expect(taken).toEqual([10, 10]);
});

it('a request whose client had gone before takes nothing', async () => {
  const budget = budgetOf(10);
  const gone = new PassThrough().destroy();
  await expect(budget.take({ teamId: 'a', bytes: 10, response: gone })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  });
  const { taken } = takeAll(budget, [10]);
  await turn();
  expect(taken).toEqual([10]);
});

it('a team that uses its share waits, and is overtaken by other teams', async () => {
  const budget = budgetOf(20, 10);
  const one = takeAll(budget, [5, 5, 5], 'one');
  const other = takeAll(budget, [8, 3], 'other');
  await turn();
  expect([one.taken, other.taken]).toEqual([[5, 5], [8]]);
  (await one.requests[0]!.release)();
  await turn();
  expect([one.taken, other.taken]).toEqual([[5, 5, 5], [8]]);
});

it('a request that waits for too long is refused with the reason, and does not hold up others', async () => {
  const budget = new ByteBudget({ bytes: 15, bytesOfTeam: 10, maxWaitMs: 20, what: 'files' });
  takeAll(budget, [10], 'one');
  await turn();
  const [own] = takeAll(budget, [1], 'one').requests;
  const [other] = takeAll(budget, [9], 'other').requests;
  const small = takeAll(budget, [2], 'other');
  await expect(own!.release).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 10 });
  await expect(other!.release).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 10 });
  await small.requests[0]!.release;
});
