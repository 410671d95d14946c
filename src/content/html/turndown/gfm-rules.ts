import type TurndownService from 'turndown';

/**
 * Turndown rules for the tables, strikethrough and task lists of GitHub. They are written here because the
 * plugin of Turndown's author is not maintained, and its maintained successor keeps tables with lists or code
 * as HTML.
 */
export function gfmRules(service: TurndownService): void {
  service.addRule('strikethrough', {
    filter: (node) => ['DEL', 'S', 'STRIKE'].includes(node.nodeName),
    replacement: (content) => (content.trim() ? `~~${content}~~` : content),
  });
  service.addRule('taskListItem', {
    filter: (node) => node.getAttribute('type') === 'checkbox' && node.parentNode?.nodeName === 'LI',
    replacement: (_content, node) => (node.hasAttribute('checked') ? '[x] ' : '[ ] '),
  });
  service.addRule('tableCell', {
    filter: ['td', 'th'],
    replacement: (content, node) =>
      isDataTable(tableOf(node)) ? writeCell(content, node) : `\n\n${content}\n\n`,
  });
  service.addRule('tableRow', {
    filter: 'tr',
    replacement: (content, node) => (isDataTable(tableOf(node)) ? writeRow(content, node) : content),
  });
  service.addRule('table', {
    filter: 'table',
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  });
  service.addRule('tableSection', {
    filter: ['thead', 'tbody', 'tfoot'],
    replacement: (content) => content,
  });
  service.addRule('caption', {
    filter: 'caption',
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  });
}

/** Whether a table can be written as one: tables around other tables are there for the layout. */
const isDataTable = (table: Element | null): boolean =>
  table !== null && table.getElementsByTagName('table').length === 0;

const tableOf = (node: Node): Element | null => {
  for (let at = node.parentNode; at; at = at.parentNode) if (at.nodeName === 'TABLE') return at as Element;
  return null;
};

function writeCell(content: string, node: HTMLElement): string {
  const text = content
    .trim()
    .replace(/\|/g, '\\|')
    .replace(/\s*\n\s*/g, '<br>');
  return ` ${text} |${'  |'.repeat(columnSpan(node) - 1)}`;
}

/**
 * Writes a row; below the first row of a table, which becomes its header, also the line that makes it a
 * table.
 */
function writeRow(content: string, node: HTMLElement): string {
  const row = `\n|${content.replace(/\n/g, '')}`;
  const table = tableOf(node);
  if (!table || table.getElementsByTagName('tr')[0] !== node) return row;
  const rows = Array.from(table.getElementsByTagName('tr'));
  const columns = rows.reduce(
    (most, one) =>
      Math.max(
        most,
        cellsOf(one).reduce((sum, cell) => sum + columnSpan(cell), 0),
      ),
    0,
  );
  const missing = columns - cellsOf(node).reduce((sum, cell) => sum + columnSpan(cell), 0);
  return `${row}${'  |'.repeat(missing)}\n|${' --- |'.repeat(columns)}`;
}

/** The cells of a row. The lists of Turndown's DOM are not iterable. */
const cellsOf = (row: Element): Element[] =>
  Array.from(row.children).filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH');

/**
 * The columns that a cell spans. Larger numbers than any real table has would only make the markdown large.
 */
const columnSpan = (cell: Element): number =>
  Math.min(Math.max(Number.parseInt(cell.getAttribute('colspan') ?? '1', 10) || 1, 1), 20);
