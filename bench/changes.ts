import { compareVersions, packVersion } from '../src/content/changes/compare.ts';
import { readCommandLine } from './command-line.ts';

const HELP = `Measures the CPU milliseconds of comparing two large versions of a page, 1 to 10 MB each, which differ in several ways.
Takes about ten seconds.

Usage: node bench/changes.ts [OPTIONS]

  --help   print this text
`;

readCommandLine(HELP, {});

const MB = 1_000_000;
let state = 42;
/** Mulberry32: a random number from 0 to 1, from a fixed seed. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const words = Array.from({ length: 3_000 }, () => Math.floor(random() * 1e9).toString(36));
const pick = <Item>(items: Item[]) => items[Math.floor(random() * items.length)]!;
const sentence = () => Array.from({ length: 12 }, () => pick(words)).join(' ');

function text(bytes: number, line: () => string = sentence): string[] {
  const lines: string[] = [];
  for (let size = 0; size < bytes; size += lines.at(-1)!.length + 1) lines.push(line());
  return lines;
}

const page = text(MB);
const changed = (share: number) => page.map((line) => (random() < share ? sentence() : line));
const few = Array.from({ length: 5_000 }, sentence);
const cases: [name: string, before: string[], after: string[]][] = [
  ['1 % changed', page, changed(0.01)],
  ['30 % changed', page, changed(0.3)],
  ['rewritten', page, text(MB)],
  ['shuffled', page, page.toSorted(() => random() - 0.5)],
  ['reversed', page, page.toReversed()],
  ['lines that repeat', text(MB, () => pick(few)), text(MB, () => pick(few))],
  ['one line', [page.join(' ')], [text(MB).join(' ')]],
  ['10 MB rewritten', text(10 * MB), text(10 * MB)],
];
for (const [name, before, after] of cases) {
  const task = {
    before: packVersion({ markdown: before.join('\n') }),
    after: { markdown: after.join('\n') },
  };
  const start = process.cpuUsage();
  const { diff, warnings } = compareVersions({ ...task, modes: ['git-diff'] });
  const { user, system } = process.cpuUsage(start);
  const ms = Math.round((user + system) / 1_000);
  const lines = diff?.json.files[0]?.chunks.flatMap(({ changes }) =>
    changes.filter(({ type }) => type !== 'normal'),
  );
  console.log(
    name.padEnd(20),
    `${ms} ms`.padStart(8),
    `${lines?.length ?? 'no'} lines`.padStart(14),
    ...warnings,
  );
}
