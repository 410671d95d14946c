import { expect, it } from 'vitest';
import { every } from '../../src/system/every.ts';
import { pollUntil } from '../support/suite/poll.ts';

it.each([
  [
    'throws',
    () => {
      throw new Error('planted');
    },
  ],
  ['rejects', () => Promise.reject(new Error('planted'))],
])('a repeated task that %s is reported, and repeated', async (_what, task) => {
  const errors: unknown[] = [];
  const timer = every(1, task, (error) => errors.push(error));
  await pollUntil(() => errors.length > 2);
  clearInterval(timer);
  expect(errors[0]).toMatchObject({ message: 'planted' });
});
