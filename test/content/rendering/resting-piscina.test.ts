import { afterEach, describe, expect, it } from 'vitest';
import { RestingPiscina } from '../../../src/content/rendering/resting-piscina.ts';
import { pollUntil } from '../../support/suite/poll.ts';

let pool: RestingPiscina<{ hangs?: boolean }, number>;
afterEach(() => pool.close());

function createPool({ warm = false, restAfterMs = 60_000 }: { warm?: boolean; restAfterMs?: number } = {}) {
  pool = new RestingPiscina({
    filename: new URL('./waiting-thread.ts', import.meta.url).href,
    maxThreads: 1,
    warm,
    restAfterMs,
    onFault: (error) => {
      throw error;
    },
  });
}

describe('a pool of threads', () => {
  it('has none before the first task, unless it is warm', () => {
    createPool();
    expect(pool.threads).toHaveLength(0);
  });

  it('has one from the start where it is warm', () => {
    createPool({ warm: true });
    expect(pool.threads).toHaveLength(1);
  });

  it('has none after a rest, and a new one for the next task', async () => {
    createPool({ warm: true, restAfterMs: 10 });
    await pollUntil(() => pool.threads.length === 0 || undefined);
    const first = await pool.run({}, {});
    await pollUntil(() => pool.threads.length === 0 || undefined);
    expect(await pool.run({}, {})).toBeGreaterThan(first);
  });

  it('keeps its threads while a task runs, however long', async () => {
    createPool({ restAfterMs: 10 });
    const abort = new AbortController();
    const long = pool.run({ hangs: true }, { signal: abort.signal });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(pool.threads).toHaveLength(1);
    abort.abort();
    await expect(long).rejects.toThrow('aborted');
  });

  it('runs the tasks that wait for a thread which an abort ends', async () => {
    createPool();
    // The thread has started, so the next task begins in it at once.
    await pool.run({}, {});
    const abort = new AbortController();
    const hanging = pool.run({ hangs: true }, { signal: abort.signal });
    const waiting = pool.run({}, {});
    abort.abort();
    await expect(hanging).rejects.toThrow('aborted');
    expect(await waiting).toBeGreaterThan(0);
  });
});
