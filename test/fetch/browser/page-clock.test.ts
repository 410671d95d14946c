import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPageClock, runWithClock } from '../../../src/fetch/browser/page-clock.ts';
import type { Tab } from '../../../src/fetch/browser/tab.ts';

it('gives a page its time in small steps, also when this process could not see to it for long', async () => {
  const budgets: number[] = [];
  const session = Object.assign(new EventEmitter(), {
    async send(_command: string, { budget }: { budget: number }) {
      budgets.push(budget);
      setImmediate(() => session.emit('Emulation.virtualTimeBudgetExpired'));
    },
  });
  const tab = {
    session,
    network: { isIdle: () => true },
    nextDocument: () => Promise.withResolvers<undefined>().promise,
  };
  // The clock needs only these members of a tab.
  const clock = createPageClock(tab as unknown as Pick<Tab, 'session' | 'network' | 'nextDocument'>);
  await clock.skip(400);
  expect(budgets).toEqual([400]);
  await runWithClock(clock, async () => {
    await sleep(1);
    const end = performance.now() + 500;
    while (performance.now() < end);
    await sleep(60);
  });
  const [, ...steps] = budgets;
  expect(steps.length).toBeGreaterThan(0);
  expect(Math.max(...steps)).toBe(100);
});
