import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startModelTime } from '../../src/models/model-time.ts';

it('the time of a model that is silent ends with an error that says so', async () => {
  using time = startModelTime(1, new AbortController().signal);
  if (!time.signal.aborted) await once(time.signal, 'abort');
  expect(time.signal.reason).toMatchObject({
    code: 'MODEL_UNAVAILABLE',
    message: 'The language model did not respond within 0.001 seconds.',
  });
});

it('the time of a model ends with its activity', () => {
  const activity = new AbortController();
  using time = startModelTime(60_000, activity.signal);
  expect(time.signal.aborted).toBe(false);
  activity.abort(new Error('cancelled'));
  expect(time.signal.reason).toMatchObject({ message: 'cancelled' });
});
