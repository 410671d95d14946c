import { Parser } from 'htmlparser2';
import { escapeHtml } from '../../../html/parse/escape-html.ts';
import { oneLine } from '../../../html/text.ts';

/** Cells beyond this number are left out. */
const MAX_CELLS = 20_000;
/** How LibreOffice writes the places of a series without a value. */
const NO_VALUE = /^(?:nan|1\.#nan)$/i;

/**
 * Writes a chart of an OpenDocument file as its title and the table of its values, which the chart has in its
 * own file (OpenDocument 1.3, part 3, 11.1).
 */
export function chartHtml(xml: string): string {
  const rows: string[][] = [];
  const open: string[] = [];
  let title = '';
  let cells = 0;
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === 'table:table-row') rows.push([]);
        else if (name === 'table:table-cell' && cells++ < MAX_CELLS) rows.at(-1)?.push('');
        // Paragraphs of a title are its lines.
        else if (name === 'text:p' && open.includes('chart:title')) title += ' ';
        open.push(name);
      },
      ontext(text) {
        if (!open.includes('text:p')) return;
        const row = rows.at(-1);
        // The axes have titles, too; only that of the chart is right below it.
        if (open[open.lastIndexOf('chart:title') - 1] === 'chart:chart') title += text;
        else if (row && open.includes('table:table-cell') && cells <= MAX_CELLS) row[row.length - 1] += text;
      },
      onclosetag() {
        open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const name = oneLine(title);
  const lines = rows
    .filter((row) => row.some(Boolean))
    .map((row, place) => {
      const element = place === 0 ? 'th' : 'td';
      const values = row.map((value) => (NO_VALUE.test(value) ? '' : escapeHtml(value)));
      return `<tr>${values.map((value) => `<${element}>${value}</${element}>`).join('')}</tr>`;
    });
  return [
    ...(name ? [`<p><strong>${escapeHtml(name)}</strong></p>`] : []),
    ...(lines.length > 0 ? [`<table>\n${lines.join('\n')}\n</table>`] : []),
  ].join('\n');
}
