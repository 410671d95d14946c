import { expect, it } from 'vitest';
import { ProcessorShares } from '../../src/sessions/browser/processor-shares.ts';

/**
 * Lets browsers of a machine with two processors use a part of a processor, and returns the niceness of each.
 */
function nicenessesOf(loads: readonly number[]): number[] {
  const set = new Map<number, number>();
  const shares = new ProcessorShares({
    processors: 2,
    setNiceness: async (pid, niceness) => void set.set(pid, niceness),
  });
  for (const seconds of [0, 2, 4])
    for (const [pid, load] of loads.entries()) shares.note(pid, load * seconds * 1000, seconds * 1000);
  return loads.map((_, index) => set.get(index) ?? 0);
}

it('a few busy browsers keep their whole share of the processors', () => {
  expect(nicenessesOf([1, 0.5, 1, 0.3, 0, 0, 0])).toEqual(Array(7).fill(0));
});

it('many busy browsers together get the share of two per processor, and idle ones beside them keep theirs', () => {
  const nicenesses = nicenessesOf([...Array(20).fill(0.1), 0, 0.01]);
  expect(new Set(nicenesses.slice(0, 20)).size).toBe(1);
  // Each step is a fifth less.
  expect(20 * 0.8 ** nicenesses[0]!).toBeGreaterThan(3.5);
  expect(20 * 0.8 ** nicenesses[0]!).toBeLessThan(4.5);
  expect(nicenesses.slice(20)).toEqual([0, 0]);
});

it('a browser gets its share back when others have ended', () => {
  const set = new Map<number, number>();
  const shares = new ProcessorShares({
    processors: 1,
    setNiceness: async (pid, niceness) => void set.set(pid, niceness),
  });
  for (const at of [0, 1000]) for (let pid = 0; pid < 5; pid++) shares.note(pid, at, at);
  expect(set.get(0)).toBeGreaterThan(0);
  for (let pid = 1; pid < 5; pid++) shares.forget(pid);
  expect(set.get(0)).toBe(0);
});
