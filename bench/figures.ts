/** The value below which a share of the sorted values lies, e.g. `percentile(times, 0.5)`. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Runs `one` for every number below `count`, several at once. @returns milliseconds of each, and of all together */
export async function measure(
  count: number,
  atOnce: number,
  one: (index: number) => Promise<unknown>,
): Promise<{ times: number[]; totalMs: number }> {
  const times: number[] = [];
  let next = 0;
  const start = performance.now();
  const lane = async () => {
    while (next < count) {
      const index = next++;
      const before = performance.now();
      await one(index);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return { times, totalMs: performance.now() - start };
}

/** Rows as a markdown table. */
export function table(rows: Record<string, string | number>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(names), line(names.map(() => '---')), ...rows.map((row) => line(Object.values(row)))].join(
    '\n',
  );
}

/** A number with as many digits as it deserves. */
export const short = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1));
