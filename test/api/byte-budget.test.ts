import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ByteBudget } from '../../src/api/http/byte-budget.ts';

/** The memory for files that are being received. */

/** Takes bytes. @returns what has been taken so far */
function takeAll(budget: ByteBudget, sizes: number[]) {
  const taken: number[] = [];
  const requests = sizes.map((bytes) => {
    const response = new PassThrough();
    const release = budget.take(bytes, response).then((free) => {
      taken.push(bytes);
      return free;
    });
    return { response, release };
  });
  return { taken, requests };
}

it('a budget is given in the order of the requests, and again after it was returned', async () => {
  const { taken, requests } = takeAll(new ByteBudget(10), [6, 4, 5, 1]);
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
  const budget = new ByteBudget(10);
  const { requests } = takeAll(budget, [10]);
  const release = await requests[0]!.release;
  release();
  release();
  const { taken } = takeAll(budget, [10, 1]);
  await turn();
  expect(taken).toEqual([10]);
});

it('a request whose client has gone gets nothing and holds nobody up', async () => {
  const { taken, requests } = takeAll(new ByteBudget(10), [8, 9, 2]);
  await turn();
  expect(taken).toEqual([8]);
  requests[1]!.response.destroy();
  await expect(requests[1]!.release).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(taken).toEqual([8, 2]);
});

it('the bytes of a response that closes are free again', async () => {
  const { taken, requests } = takeAll(new ByteBudget(10), [10, 10]);
  await requests[0]!.release;
  requests[0]!.response.destroy();
  await requests[1]!.release;
  expect(taken).toEqual([10, 10]);
});

it('a request whose client had gone before takes nothing', async () => {
  const budget = new ByteBudget(10);
  const gone = new PassThrough().destroy();
  await expect(budget.take(10, gone)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  const { taken } = takeAll(budget, [10]);
  await turn();
  expect(taken).toEqual([10]);
});
