import { describe, expect, it } from 'vitest';
import { BrowserCapacity } from '../../src/page-jobs/browser-capacity.ts';

/** How jobs share the browser of a worker. */

describe('places in the browser pool', () => {
  it('are all available to the only job', () => {
    const places = new BrowserCapacity(8);
    using first = places.join('a');
    using second = places.join('a');
    expect([first.take(5), second.take(16), first.take(1)]).toEqual([5, 3, 0]);
    first.release(2);
    expect(second.take(16)).toBe(2);
  });

  it('are shared equally by jobs that need more', () => {
    const places = new BrowserCapacity(8);
    using one = places.join('a');
    using two = places.join('b');
    expect([one.take(16), two.take(16)]).toEqual([8, 0]);
    one.release(2);
    expect([one.take(2), two.take(16)]).toEqual([0, 2]);
    one.release(2);
    expect([one.take(2), two.take(16)]).toEqual([0, 2]);
    one.release(1);
    two.release(1);
    expect([two.take(16), one.take(16)]).toEqual([1, 1]);
  });

  it('that a job does not need are available to the others', () => {
    const places = new BrowserCapacity(8);
    using one = places.join('a');
    using two = places.join('b');
    expect(two.take(16)).toBe(8);
    two.decline(7);
    expect(one.take(16)).toBe(7);
  });

  it('are assigned in turn when there are more jobs than places', () => {
    const places = new BrowserCapacity(2);
    const jobs = ['a', 'b', 'c'].map((id) => places.join(id));
    expect(jobs.map((job) => job.take(5))).toEqual([2, 0, 0]);
    jobs[0]!.release(1);
    expect(jobs.map((job) => job.take(5))).toEqual([0, 1, 0]);
    jobs[0]!.release(1);
    expect(jobs[2]!.take(5)).toBe(1);
  });

  it('that a lane still holds when it leaves are free again', () => {
    const places = new BrowserCapacity(4);
    using stays = places.join('a');
    {
      using gone = places.join('a');
      expect([gone.take(3), stays.take(4)]).toEqual([3, 1]);
    }
    expect(stays.take(4)).toBe(3);
  });
});
