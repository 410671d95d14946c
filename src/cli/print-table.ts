/** Prints rows as aligned columns on stdout, with the column names first. */
export function printTable(rows: Record<string, string | number>[]): void {
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => String(row[name]).length)));
  const line = (cells: (string | number)[]) =>
    cells
      .map((cell, index) => String(cell).padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  for (const cells of [names, ...rows.map(Object.values)]) process.stdout.write(`${line(cells)}\n`);
}
