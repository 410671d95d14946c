/**
 * The value below which the given share (0 to 1) of the values lies: `percentile(times, 0.5)` is the median.
 */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Runs `one` for every index below `count`, `atOnce` at a time.
 * @returns milliseconds of each, and in total
 */
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

/** Formats rows as a markdown table, whose columns are aligned as the formatter does it. */
export function table(rows: Record<string, string | number>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => Object.values(row).map(String));
  const widths = names.map((name, column) =>
    Math.max(3, name.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [names, rule, ...cells].map(line).join('\n');
}

/** Formats a number without decimals from 100, else with one. */
export const short = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1));

/**
 * Replaces a section of a page, which lies between `<!-- name -->` and `<!-- /name -->`.
 * @throws Error if the page has no such section
 */
export function withSection(page: string, name: string, content: string): string {
  const [mark, endMark] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, rest] = page.split(mark);
  const after = rest?.split(endMark)[1];
  if (after === undefined) throw new Error(`The page has no place for the tables: ${mark} … ${endMark}`);
  return `${before}${mark}\n\n${content}\n\n${endMark}${after}`;
}
