import { Parser } from 'htmlparser2';
import { oneLine } from '../../html/text.ts';
import { localName } from '../package-parts.ts';

/** Names of series beyond this number are left out. */
const MAX_SERIES = 50;

/**
 * Reads what a chart says in words (DrawingML charts, ECMA-376-1, 21.2): its title and the names of its
 * series, as the file has stored them. The values are those of cells, which are in the tables.
 * @param xml the part of the chart
 * @returns such as `Sales (North, South)`; empty if the chart has neither
 */
export function chartText(xml: string): string {
  const open: string[] = [];
  let title = '';
  const series: string[] = [];
  const parser = new Parser(
    {
      onopentag(tag) {
        const name = localName(tag);
        if (name === 'tx' && open.at(-1) === 'ser') series.push('');
        // Paragraphs of a title are its lines.
        if (name === 'p' && isTitle(open)) title += ' ';
        open.push(name);
      },
      ontext(text) {
        if (open.at(-1) === 't' && isTitle(open)) title += text;
        if (open.at(-1) === 'v' && open.includes('tx') && open.includes('ser'))
          series[series.length - 1] += text;
      },
      onclosetag() {
        open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const names = series.map(oneLine).filter(Boolean).slice(0, MAX_SERIES).join(', ');
  return oneLine(title) && names ? `${oneLine(title)} (${names})` : oneLine(title) || names;
}

/** Whether an element is within the title of the chart itself, rather than of one of its axes. */
const isTitle = (open: readonly string[]) => open[1] === 'chart' && open[2] === 'title';
