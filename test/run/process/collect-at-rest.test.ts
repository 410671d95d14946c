import { cachedDataVersionTag } from 'node:v8';
import { expect, it } from 'vitest';
import { collectAtRest } from '../../../src/run/process/collect-at-rest.ts';

/** Milliseconds for which this thread has used the processor since. */
function usedMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

it('what the start of a process left in memory is collected once the process rests', async () => {
  const left = new WeakRef({ text: 'a'.repeat(1_000) });
  await collectAtRest(50);
  expect(left.deref()).toBeUndefined();
});

it('the collection leaves compiled code in the cache usable for new threads', async () => {
  const before = cachedDataVersionTag();
  await collectAtRest(50);
  expect(cachedDataVersionTag()).toBe(before);
});

it('what work left is collected once there was enough work', async () => {
  let left: WeakRef<object> | undefined;
  const collected = collectAtRest(50, 200);
  let turns = 0;
  const work = setInterval(() => {
    const before = process.threadCpuUsage();
    while (usedMsSince(before) < 60);
    left ??= new WeakRef({ text: 'a'.repeat(1_000) });
    if (++turns === 6) clearInterval(work);
  }, 70);
  await collected;
  expect(left).toBeDefined();
  expect(left?.deref()).toBeUndefined();
});
