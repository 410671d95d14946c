import { describe, expect, it } from 'vitest';
import { BrowserCapacity } from '../../../src/jobs/page-jobs/browser-capacity.ts';

/** How jobs share the browser of a worker. */

describe('places in the browser pool', () => {
  it('are all available to the only job', () => {
    const capacity = new BrowserCapacity(8);
    using first = capacity.addPageWorker('a');
    using second = capacity.addPageWorker('a');
    expect([first.reserve(5), second.reserve(16), first.reserve(1)]).toEqual([5, 3, 0]);
    first.release(2);
    expect(second.reserve(16)).toBe(2);
  });

  it('are shared equally by jobs that need more', () => {
    const capacity = new BrowserCapacity(8);
    using one = capacity.addPageWorker('a');
    using two = capacity.addPageWorker('b');
    expect([one.reserve(16), two.reserve(16)]).toEqual([8, 0]);
    one.release(2);
    expect([one.reserve(2), two.reserve(16)]).toEqual([0, 2]);
    one.release(2);
    expect([one.reserve(2), two.reserve(16)]).toEqual([0, 2]);
    one.release(1);
    two.release(1);
    expect([two.reserve(16), one.reserve(16)]).toEqual([1, 1]);
  });

  it('that a job does not need are available to the others', () => {
    const capacity = new BrowserCapacity(8);
    using one = capacity.addPageWorker('a');
    using two = capacity.addPageWorker('b');
    expect(two.reserve(16)).toBe(8);
    two.returnUnused(7);
    expect(one.reserve(16)).toBe(7);
  });

  it('are assigned in turn when there are more jobs than places', () => {
    const capacity = new BrowserCapacity(2);
    const jobs = ['a', 'b', 'c'].map((id) => capacity.addPageWorker(id));
    expect(jobs.map((job) => job.reserve(5))).toEqual([2, 0, 0]);
    jobs[0]!.release(1);
    expect(jobs.map((job) => job.reserve(5))).toEqual([0, 1, 0]);
    jobs[0]!.release(1);
    expect(jobs[2]!.reserve(5)).toBe(1);
  });

  it('that a page worker still holds when it ends are free again', () => {
    const capacity = new BrowserCapacity(4);
    using stays = capacity.addPageWorker('a');
    {
      using gone = capacity.addPageWorker('a');
      expect([gone.reserve(3), stays.reserve(4)]).toEqual([3, 1]);
    }
    expect(stays.reserve(4)).toBe(3);
  });
});
