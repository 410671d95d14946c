import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CdpConnection } from '../../src/fetch/browser/chromium/cdp.ts';
import { NewTargets } from '../../src/sessions/protocol/new-targets.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** New targets of a browser that only notes which sessions were resumed. */
function newTargets() {
  const resumed: string[] = [];
  const connection = {
    browser: { send: async () => ({}) },
    session: (id: string) => ({ send: async () => void resumed.push(id) }),
  };
  // Only what new targets use is there.
  const targets = NewTargets.of(connection as unknown as CdpConnection);
  const [quick, silent] = [{ name: 'quick' }, { name: 'silent' }];
  const open = async (number: number) => {
    targets.attached(`target${number}`, `quick${number}`, quick);
    targets.attached(`target${number}`, `silent${number}`, silent);
    targets.resume(`quick${number}`);
    // The browser responds that all sessions are attached.
    await vi.advanceTimersByTimeAsync(0);
  };
  /** The sessions that were resumed since the last call, in alphabetical order. */
  const takeResumed = () => resumed.splice(0).sort();
  return { targets, open, takeResumed };
}

it('a popup is kept for 15 seconds by a client that never resumes it, and the next ones not at all', async () => {
  const { open, takeResumed } = newTargets();
  await open(1);
  await vi.advanceTimersByTimeAsync(14_999);
  expect(takeResumed()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(takeResumed()).toEqual(['quick1', 'silent1']);
  await open(2);
  expect(takeResumed()).toEqual(['quick2', 'silent2']);
});

it('popups wait again for a client that was only late', async () => {
  const { targets, open, takeResumed } = newTargets();
  await open(1);
  await vi.advanceTimersByTimeAsync(15_000);
  targets.resume('silent1');
  takeResumed();
  await open(2);
  expect(takeResumed()).toEqual([]);
  targets.resume('silent2');
  expect(takeResumed()).toEqual(['quick2', 'silent2']);
});
