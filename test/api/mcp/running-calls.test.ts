import { describe, expect, it } from 'vitest';
import { RunningCalls } from '../../../src/api/mcp/running-calls.ts';

describe('a call of an older client', () => {
  const isCancelled = (calls: RunningCalls, session: string | undefined, id: unknown) =>
    calls.run(session, id, async ({ aborted }) => aborted);

  it('is cancelled while it runs, and no other one is', async () => {
    const calls = new RunningCalls();
    const [own, other] = await Promise.all(
      [1, 2].map((id) =>
        calls.run('one', id, async (cancelled) => {
          calls.cancel('one', 1);
          return cancelled.aborted;
        }),
      ),
    );
    expect([own, other]).toEqual([true, false]);
  });

  it('is cancelled although the cancellation has overtaken it, once', async () => {
    const calls = new RunningCalls();
    calls.cancel('one', 1);
    expect(await isCancelled(calls, 'one', '1')).toBe(false);
    expect(await isCancelled(calls, 'two', 1)).toBe(false);
    expect(await isCancelled(calls, undefined, 1)).toBe(false);
    expect(await isCancelled(calls, 'one', 1)).toBe(true);
    expect(await isCancelled(calls, 'one', 1)).toBe(false);
  });

  it('is one of the last thousand that cancellations are kept for', async () => {
    const calls = new RunningCalls();
    for (let id = 0; id <= 1_000; id++) calls.cancel('one', id);
    expect(await isCancelled(calls, 'one', 0)).toBe(false);
    expect(await isCancelled(calls, 'one', 1)).toBe(true);
  });
});
