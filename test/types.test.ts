import type { ActivityOptions } from '@temporalio/workflow';
import { expect, it } from 'vitest';

it('durations are typed: without @types/ms the compiler would take any text', () => {
  // @ts-expect-error banana is no duration
  const wrong: ActivityOptions = { startToCloseTimeout: 'banana' };
  const right: ActivityOptions = { startToCloseTimeout: '10s' };
  expect(wrong).not.toEqual(right);
});
