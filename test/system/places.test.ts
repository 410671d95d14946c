import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Places } from '../../src/system/places.ts';

/** The places of a sandbox, which owners share. */

const LONG_MS = 1_000;
const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Requests places for owners, in order. Each task has the name of its owner and its number. Those of owners
 * in capital letters have to be alone.
 */
function request(places: Places, owners: string) {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  for (const [index, owner] of [...owners].entries()) {
    const name = `${owner}${index}`;
    const take = owner === owner.toLowerCase() ? places.take(owner, never) : places.takeAlone(owner, never);
    void take.then((leave) => {
      running.push(name);
      ends.set(name, () => {
        running.splice(running.indexOf(name), 1);
        leave();
      });
    });
  }
  return {
    running,
    async end(name: string) {
      ends.get(name)!();
      await turn();
    },
  };
}

it('a place that becomes free goes to the owner with the fewest running tasks', async () => {
  const { running, end } = request(new Places({ count: 2, longTaskMs: LONG_MS }), 'aaaabbb');
  await turn();
  expect(running).toEqual(['a0', 'a1', 'b4']);
  await end('a0');
  expect(running).toEqual(['a1', 'b4']);
  await end('a1');
  expect(running).toEqual(['b4', 'a2']);
  await end('a2');
  expect(running).toEqual(['b4', 'a3']);
  await end('a3');
  expect(running).toEqual(['b4', 'b5']);
});

it('an owner without a running task waits for no task of an owner that has taken all places', async () => {
  const places = new Places({ count: 2, longTaskMs: LONG_MS });
  const many = request(places, 'aaaa');
  await turn();
  expect(many.running).toEqual(['a0', 'a1']);
  const other = request(places, 'bb');
  await turn();
  expect(other.running).toEqual(['b0']);
  await other.end('b0');
  expect([many.running, other.running]).toEqual([['a0', 'a1'], ['b1']]);
  await other.end('b1');
  expect(many.running).toEqual(['a0', 'a1']);
});

it('a task that has to be alone does not wait for owners that come after it', async () => {
  const places = new Places({ count: 2, longTaskMs: LONG_MS });
  const many = request(places, 'aa');
  await turn();
  const alone = request(places, 'B');
  const later = request(places, 'c');
  await turn();
  expect(later.running).toEqual([]);
  await many.end('a0');
  await many.end('a1');
  expect([alone.running, later.running]).toEqual([['B0'], []]);
});

it('owners take turns at a single place', async () => {
  const { running, end } = request(new Places({ count: 1, longTaskMs: LONG_MS }), 'aaabbc');
  const order: string[] = [];
  await turn();
  while (running[0]) {
    order.push(running[0]);
    await end(running[0]);
  }
  expect(order).toEqual(['a0', 'b3', 'c5', 'a1', 'b4', 'a2']);
});

it('one place remains for other owners, however many long tasks an owner has', async () => {
  const places = new Places({ count: 2, longTaskMs: LONG_MS });
  const many = request(places, 'aaaaaa');
  await turn();
  vi.advanceTimersByTime(LONG_MS);
  await turn();
  vi.advanceTimersByTime(LONG_MS);
  await turn();
  expect(many.running).toEqual(['a0', 'a1', 'a2']);
  const other = request(places, 'b');
  await turn();
  expect(other.running).toEqual(['b0']);
});

it('a task leaves its place as soon as another long one has ended', async () => {
  const places = new Places({ count: 1, longTaskMs: LONG_MS });
  const { running, end } = request(places, 'aaa');
  await turn();
  vi.advanceTimersByTime(LONG_MS);
  await turn();
  expect(running).toEqual(['a0', 'a1']);
  vi.advanceTimersByTime(LONG_MS);
  await end('a0');
  expect(running).toEqual(['a1']);
  vi.advanceTimersByTime(LONG_MS);
  await turn();
  expect(running).toEqual(['a1', 'a2']);
});

it('a request that is given up leaves the queue', async () => {
  const places = new Places({ count: 1, longTaskMs: LONG_MS });
  const first = await places.take('a', never);
  const controller = new AbortController();
  const given = places.take('a', controller.signal);
  controller.abort(new Error('given up'));
  await expect(given).rejects.toThrow('given up');
  const next = places.take('a', never);
  first();
  expect(await next).toBeTypeOf('function');
});

it('without room in memory one task runs at a time, and the next ones begin when there is room', async () => {
  let hasRoom = false;
  const places = new Places({ count: 2, longTaskMs: LONG_MS, hasRoom: () => hasRoom });
  const { running, end } = request(places, 'abc');
  await turn();
  expect(running).toEqual(['a0']);
  vi.advanceTimersByTime(LONG_MS);
  await turn();
  expect(running).toEqual(['a0']);
  await end('a0');
  expect(running).toEqual(['b1']);
  hasRoom = true;
  vi.advanceTimersByTime(LONG_MS);
  await turn();
  expect(running).toEqual(['b1', 'c2']);
});

it('a task that has to be alone waits for the others, comes before the next ones, and runs beside none', async () => {
  const places = new Places({ count: 2, longTaskMs: LONG_MS });
  const others = request(places, 'ab');
  await turn();
  const alone = places.takeAlone('c', never);
  const later = request(places, 'd');
  await others.end('a0');
  await others.end('b1');
  const leave = await alone;
  await turn();
  expect(later.running).toEqual([]);
  leave();
  await turn();
  expect(later.running).toEqual(['d0']);
});

it('a task that is alone lets the next ones begin once it counts as long', async () => {
  const places = new Places({ count: 2, longTaskMs: LONG_MS });
  await places.takeAlone('a', never);
  const later = request(places, 'b');
  await turn();
  expect(later.running).toEqual([]);
  vi.advanceTimersByTime(LONG_MS);
  await turn();
  expect(later.running).toEqual(['b0']);
});

it('a task that gives up being alone lets the next ones begin', async () => {
  const places = new Places({ count: 2, longTaskMs: LONG_MS });
  await places.take('a', never);
  const controller = new AbortController();
  const alone = places.takeAlone('b', controller.signal);
  const later = request(places, 'c');
  await turn();
  expect(later.running).toEqual([]);
  controller.abort(new Error('given up'));
  await expect(alone).rejects.toThrow('given up');
  expect(later.running).toEqual(['c0']);
});

it('owners of tasks that have to be alone take turns, and between two of these others begin', async () => {
  const { running, end } = request(new Places({ count: 1, longTaskMs: LONG_MS }), 'AAABcc');
  const order: string[] = [];
  await turn();
  while (running[0]) {
    order.push(running[0]);
    await end(running[0]);
  }
  expect(order).toEqual(['A0', 'c4', 'B3', 'c5', 'A1', 'A2']);
});

it('a task that has to be alone runs beside no long one either, and holds nobody up until that ends', async () => {
  const places = new Places({ count: 2, longTaskMs: LONG_MS });
  const long = request(places, 'a');
  await turn();
  vi.advanceTimersByTime(LONG_MS);
  await turn();
  const alone = request(places, 'B');
  const others = request(places, 'c');
  await turn();
  expect([alone.running, others.running]).toEqual([[], ['c0']]);
  await others.end('c0');
  expect(alone.running).toEqual([]);
  await long.end('a0');
  expect(alone.running).toEqual(['B0']);
});
