import { expect, it } from 'vitest';
import { HelpPace } from '../../../src/jobs/page-jobs/help-pace.ts';

/** A pace of a page worker that begins at 0 and claims pages for three seconds. */
const createPace = () => new HelpPace(0, 3_000);

it('a page worker that claims pages requests help once, when it holds as many as it can', () => {
  const pace = createPace();
  const isDue = (now: number) => pace.isDue(now, { isClaiming: true, held: 16 });
  expect(isDue(100)).toBe(false);
  pace.foundAll();
  expect(isDue(200)).toBe(true);
  expect(isDue(2_900)).toBe(false);
});

it('a page worker that claims no more requests help whenever it holds fewer pages, at most once per second', () => {
  const pace = createPace();
  const isDue = (now: number, held: number) => {
    pace.progressed(now);
    return pace.isDue(now, { isClaiming: false, held });
  };
  expect(isDue(3_500, 8)).toBe(false);
  expect(isDue(4_000, 8)).toBe(true);
  expect(isDue(4_500, 7)).toBe(false);
  expect(isDue(5_100, 7)).toBe(true);
  expect(isDue(9_000, 7)).toBe(false);
});

it('a page worker that claims no more requests help ever more rarely while the job makes no progress', () => {
  const pace = createPace();
  const isDue = (now: number) => pace.isDue(now, { isClaiming: false, held: 1 });
  const times = Array.from({ length: 300 }, (_, index) => 100 * index).filter(isDue);
  expect(times).toEqual([4_000, 10_000, 22_000]);
  pace.progressed(30_000);
  expect([32_900, 33_000].map(isDue)).toEqual([false, true]);
});
