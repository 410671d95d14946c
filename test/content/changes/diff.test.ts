import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDiff, type Diff } from '../../../src/content/changes/diff.ts';
import { matchLines } from '../../../src/content/changes/line-matching.ts';

const plain = (lines: string[]) => ({ original: lines, normalized: lines });
const diff = (before: string[], after: string[]) => createDiff(plain(before), plain(after));

/** A unified diff put to a text, as `patch` does: every line that it names must be there. */
function patch(before: string[], { json }: Diff): string[] {
  const after: string[] = [];
  let at = 0;
  for (const { content, changes } of json.files[0]!.chunks) {
    const [, start, length] = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(content)!.map(Number);
    const first = length ? start! - 1 : start!;
    after.push(...before.slice(at, first));
    at = first;
    for (const change of changes) {
      const line = change.content.slice(1);
      if (change.type === 'add') expect(change.ln).toBe(after.push(line));
      else expect(before[at++]).toBe(line);
      if (change.type === 'normal') {
        after.push(line);
        expect([change.ln1, change.ln2]).toEqual([at, after.length]);
      }
    }
  }
  return [...after, ...before.slice(at)];
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}`);

/** Lines in an order that looks random, the same each time. */
function shuffled(lines: string[], seed: number): string[] {
  return lines
    .map((line, n) => [Math.sin(seed + n * 12.9898) * 43_758.5453, line] as const)
    .map(([value, line]) => [value - Math.floor(value), line] as const)
    .sort(([a], [b]) => a - b)
    .map(([, line]) => line);
}

describe('a diff', () => {
  it('turns any text into any other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 40 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patch(before, diff(before, after).diff!)).toEqual(after);
      }),
    );
  });

  it('joins changes that are close together and separates others', () => {
    const before = numbers(1, 40);
    const after = before.map((line, n) => (n === 4 || n === 11 || n === 30 ? `${line}!` : line));
    const { chunks } = diff(before, after).diff!.json.files[0]!;
    expect(chunks.map(({ content }) => content)).toEqual(['@@ -2,14 +2,14 @@', '@@ -28,7 +28,7 @@']);
  });

  it('removes no more lines than necessary, even when all lines differ', () => {
    const before = numbers(0, 20_000).flatMap((line, n) => (n % 100 === 0 ? [`kept ${n}`] : [`old ${line}`]));
    const after = numbers(0, 20_000).flatMap((line, n) => (n % 100 === 0 ? [`kept ${n}`] : [`new ${line}`]));
    const { pairs, isCoarse } = matchLines(before, after);
    expect(isCoarse).toBe(false);
    expect(pairs).toHaveLength(200);
  });

  it('is coarse but correct where many lines moved', () => {
    const before = numbers(0, 8_000);
    const after = shuffled(before, 7);
    const { diff: found, isCoarse } = diff(before, after);
    expect(isCoarse).toBe(true);
    expect(patch(before, found!)).toEqual(after);
    expect(matchLines(before, after).pairs.length).toBeGreaterThan(100);
  });

  it('aligns unique lines where all others repeat', () => {
    const filler = (seed: number) =>
      shuffled(
        Array.from({ length: 4_000 }, (_, n) => `${n % 300}`),
        seed,
      );
    const before = [...filler(1), 'HERE', ...filler(2)];
    const after = [...filler(3), 'HERE', ...filler(4)];
    const { pairs, isCoarse } = matchLines(before, after);
    expect(isCoarse).toBe(true);
    expect(pairs.some(([i, j]) => before[i] === 'HERE' && after[j] === 'HERE')).toBe(true);
    expect(pairs.every(([i, j]) => before[i] === after[j])).toBe(true);
  });

  it('shows the new text of lines that differ only in volatile values', () => {
    const before = { original: ['3 minutes ago', 'a'], normalized: ['#', 'a'] };
    const after = { original: ['9 minutes ago', 'b'], normalized: ['#', 'b'] };
    expect(createDiff(before, after).diff!.text).toBe(
      '--- previous\n+++ current\n@@ -1,2 +1,2 @@\n 9 minutes ago\n-a\n+b',
    );
  });

  it('is left out when it would be too large', () => {
    const huge = (word: string) => Array.from({ length: 200_000 }, (_, n) => `${word} ${n}`);
    expect(diff(huge('a'), huge('b'))).toEqual({ isCoarse: false });
  });
});
