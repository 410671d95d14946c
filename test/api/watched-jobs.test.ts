import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WatchedJobs } from '../../src/api/page-jobs/watched-jobs.ts';
import type { PageJobState } from '../../src/storage/db/jobs/read-page-job-state.ts';

describe('a watched job', () => {
  it('is read once for all who watch it, and again for the next state', async () => {
    const reads: string[] = [];
    const watched = new WatchedJobs(async (id) => void reads.push(id), 1);
    await Promise.all(Array.from({ length: 50 }, () => watched.next('one', 'team')));
    await watched.next('two', 'team');
    await watched.next('one', 'team');
    expect(reads).toEqual(['one', 'two', 'one']);
  });

  it('that cannot be read fails for all who watch it, and is read again', async () => {
    let reads = 0;
    const watched = new WatchedJobs(async () => {
      if (reads++ === 0) throw new Error('planted');
      return undefined;
    }, 1);
    const states = await Promise.allSettled([watched.next('one', 'team'), watched.next('one', 'team')]);
    expect(states.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await watched.next('one', 'team')).toBeUndefined();
  });

  it('does not wait until all watched jobs of another team are read', async () => {
    const read = new Map<string, PromiseWithResolvers<PageJobState | undefined>>();
    const started: string[] = [];
    const watched = new WatchedJobs((id) => {
      started.push(id);
      read.set(id, Promise.withResolvers());
      return read.get(id)!.promise;
    }, 0);
    const all = Array.from({ length: 20 }, (_, n) => watched.next(`many-${n}`, 'many'));
    await expect.poll(() => started.length).toBe(4);
    const other = watched.next('other', 'other');
    await sleep(20);
    for (let ended = 0; !started.includes('other'); ended++) {
      read.get(`many-${ended}`)!.resolve(undefined);
      await sleep(1);
    }
    expect(started.length).toBeLessThanOrEqual(6);
    for (const id of ['other', ...all.map((_, n) => `many-${n}`)]) {
      await expect.poll(() => started).toContain(id);
      read.get(id)!.resolve(undefined);
    }
    await Promise.all([other, ...all]);
  });
});
