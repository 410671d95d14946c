import type TurndownService from 'turndown';
import { addRule, linesOf } from './markdown-rule.ts';
import type { MarkdownNode } from './markdown-tree.ts';

/** More columns than this say nothing in a text; a huge colspan must not make a huge table. */
const MOST_COLUMNS = 100;
const BLOCKS = ['H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'UL', 'OL', 'PRE', 'BLOCKQUOTE'];

/**
 * Tables of GitHub-flavoured markdown (GFM 4.10). One that only arranges a page is dissolved into its cells' content.
 */
export function addTables(converter: TurndownService): void {
  const known = new WeakMap<MarkdownNode, boolean>();
  const isData = (inside: MarkdownNode): boolean => {
    const table = tableOf(inside);
    if (!table) return false;
    const before = known.get(table);
    if (before !== undefined) return before;
    const found = holdsData(table);
    known.set(table, found);
    return found;
  };

  addRule(converter, ['th', 'td'], (content, cell) => {
    if (!isData(cell)) return `\n\n${content}\n\n`;
    const text = linesOf(content).join(' ').replace(/\|/g, '\\|');
    return ` ${text} |${'  |'.repeat(spanOf(cell) - 1)}`;
  });
  addRule(converter, ['tr'], (content, row) => {
    if (!isData(row)) return `\n\n${content}\n\n`;
    return /[^\s|]/.test(content) ? `\n|${content}\n` : '';
  });
  addRule(converter, ['thead', 'tbody', 'tfoot'], (content) => content);
  addRule(converter, ['table'], (content, table) =>
    isData(table) ? `\n\n${layOut(content, table)}\n\n` : `\n\n${content}\n\n`,
  );
}

/** Puts the line below the first row that makes it a table, as wide as the widest row: wider ones would be cut off. */
function layOut(content: string, table: MarkdownNode): string {
  const lines = linesOf(content);
  const [head, ...rows] = lines.filter((line) => line.startsWith('|'));
  const around = lines.filter((line) => !line.startsWith('|')).join('\n\n');
  if (head === undefined) return around;
  const columns = rowsOf(table).reduce((most, row) => Math.max(most, widthOf(row)), 1);
  const missing = Math.max(0, columns - columnsOf(head));
  const rule = `|${' --- |'.repeat(columnsOf(head) + missing)}`;
  return [`${around}\n`, head + '  |'.repeat(missing), rule, ...rows].join('\n');
}

/** Unescaped bars, less the first. */
const columnsOf = (row: string) => row.replace(/\\./g, '').split('|').length - 2;

/** Whether a table has rows and columns to be read as such. */
function holdsData(table: MarkdownNode): boolean {
  if (/^(presentation|none)$/.test(table.getAttribute('role') ?? '') || table.below.has('TABLE'))
    return false;
  if (!rowsOf(table).some((row) => widthOf(row) > 1)) return false;
  return table.below.has('TH') || !BLOCKS.some((name) => table.below.has(name));
}

function tableOf(inside: MarkdownNode): MarkdownNode | undefined {
  for (let at: MarkdownNode | null = inside; at; at = at.parentNode) if (at.nodeName === 'TABLE') return at;
  return undefined;
}

function rowsOf(table: MarkdownNode): MarkdownNode[] {
  return table.childNodes
    .flatMap((child) => (/^(THEAD|TBODY|TFOOT)$/.test(child.nodeName) ? child.childNodes : [child]))
    .filter((child) => child.nodeName === 'TR');
}

const widthOf = (row: MarkdownNode) =>
  row.childNodes
    .filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH')
    .reduce((width, cell) => Math.min(width + spanOf(cell), MOST_COLUMNS), 0);

function spanOf(cell: MarkdownNode): number {
  const span = Number.parseInt(cell.getAttribute('colspan') ?? '1', 10);
  return span >= 1 ? Math.min(span, MOST_COLUMNS) : 1;
}
