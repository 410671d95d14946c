import { expect, it } from 'vitest';
import { collectAtRest } from '../../src/process/collect-at-rest.ts';

it('what the start of a process left in memory is collected once the process rests', async () => {
  const left = new WeakRef({ text: 'a'.repeat(1_000) });
  await collectAtRest(50);
  expect(left.deref()).toBeUndefined();
});
