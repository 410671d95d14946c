import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { RunningScrapes } from '../../../src/jobs/direct-start/running-scrapes.ts';

const never = new AbortController().signal;

/** A scrape that ends with the value or error that the test gives, or with the reason of its abort. */
function startScrape(scrapes = new RunningScrapes<string>()) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = vi.fn(({ signal }: { signal: AbortSignal }) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise;
  });
  const join = () => scrapes.join('job', { isUntracked: false, work });
  return { join, work, resolve, reject };
}

describe('a running scrape', () => {
  it('continues after the first activity and is joined by the next one', async () => {
    const { join, work, resolve } = startScrape();
    expect(await join().wait(never, 5)).toBeUndefined();
    const joined = join().wait(never);
    resolve('document');
    expect(await joined).toEqual({ result: 'document' });
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('that has ended between two activities gives its result or error to the second one', async () => {
    for (const isFailed of [false, true]) {
      const { join, resolve, reject, work } = startScrape();
      expect(await join().wait(never, 5)).toBeUndefined();
      if (isFailed) reject(new Error('no page'));
      else resolve('document');
      await sleep(5);
      const joined = join().wait(never);
      if (isFailed) await expect(joined).rejects.toThrow('no page');
      else expect(await joined).toEqual({ result: 'document' });
      expect(work).toHaveBeenCalledTimes(1);
    }
  });

  it('that was waited for ahead gives its result or error to the first activity, too', async () => {
    for (const isFailed of [false, true]) {
      const { join, resolve, reject, work } = startScrape();
      const ahead = join().waitUntracked(60_000);
      if (isFailed) reject(new Error('no page'));
      else resolve('document');
      if (isFailed) await expect(ahead).rejects.toThrow('no page');
      else expect(await ahead).toEqual({ result: 'document' });
      const joined = join().wait(never);
      if (isFailed) await expect(joined).rejects.toThrow('no page');
      else expect(await joined).toEqual({ result: 'document' });
      expect(work).toHaveBeenCalledTimes(1);
    }
  });

  it('is started again by the attempt after a failure', async () => {
    const { join, work, reject } = startScrape();
    const first = join().wait(never);
    reject(new Error('no page'));
    await expect(first).rejects.toThrow('no page');
    await expect(join().wait(never)).rejects.toThrow('no page');
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('ends when the activity that waits for it is cancelled', async () => {
    const { join } = startScrape();
    const cancellation = new AbortController();
    const waiting = join().wait(cancellation.signal);
    cancellation.abort(new Error('the worker stops'));
    await expect(waiting).rejects.toThrow('the worker stops');
  });

  it('ends when no activity joins it', async () => {
    vi.useFakeTimers();
    try {
      const { join, work } = startScrape();
      const scrape = join();
      const waiting = scrape.wait(never, 1_000);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await waiting).toBeUndefined();
      expect(scrape.signal.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(scrape.signal.aborted).toBe(true);
      join();
      expect(work).toHaveBeenCalledTimes(2);
    } finally {
      vi.useRealTimers();
    }
  });
});
