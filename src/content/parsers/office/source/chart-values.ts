import { Parser } from 'htmlparser2';
import { escapeHtml } from '../../../html/parse/escape-html.ts';
import { localName } from '../../package-parts.ts';
import type { ZipArchive } from '../../zip.ts';
import { replaceParts, tryReadPart } from './replace-parts.ts';
import { completePoints, xyChartToCategories } from './xy-charts.ts';

/** Charts of docx and pptx files. */
const CHART = /^(?:word|ppt)\/charts\/chart\d*\.xml$/;
const MAX_CHARTS = 500;
/** Limit of the XML of one chart, in bytes. */
const MAX_CHART_BYTES = 1024 * 1024;

type DisplayNumber = typeof import('../../number-format.ts').displayNumber;

/**
 * Writes the values of charts in a docx or pptx file as displayed, such as `25.6%` for 0.256, because anydoc
 * reads them without their formats, and those of charts of points like those of categories.
 * @returns undefined if the file has no such values, or is damaged or too large
 */
export async function displayChartValues(archive: ZipArchive): Promise<Buffer | undefined> {
  const names = archive.names.filter((name) => CHART.test(name)).slice(0, MAX_CHARTS);
  if (names.length === 0) return undefined;
  // Loaded only for such files, because it is a part of SheetJS.
  const { displayNumber } = await import('../../number-format.ts');
  const changed = new Map<string, string>();
  for (const name of names) {
    const xml = tryReadPart(archive, name, MAX_CHART_BYTES)?.toString('utf8') ?? '';
    const displayed = completePoints(xyChartToCategories(displayValues(xml, displayNumber)));
    if (displayed !== xml) changed.set(name, displayed);
  }
  return changed.size === 0 ? undefined : replaceParts(archive, changed);
}

/** Replaces the stored numbers of a chart (ECMA-376-1, 21.2.2.122) by what their formats display. */
function displayValues(xml: string, displayNumber: DisplayNumber): string {
  const open: string[] = [];
  let is1904 = false;
  let formatOfSeries = '';
  let formatOfPoint: string | undefined;
  let written = '';
  let copiedTo = 0;
  const parser = new Parser(
    {
      onopentag(tag, { val = '1', formatCode }) {
        const name = localName(tag);
        if (name === 'date1904') is1904 = val === '1' || val === 'true';
        if (name === 'numCache' || name === 'numLit') formatOfSeries = '';
        if (name === 'pt') formatOfPoint = formatCode;
        open.push(name);
      },
      ontext(text) {
        if (open.at(-1) === 'formatCode') formatOfSeries += text;
        if (open.at(-1) !== 'v' || !/^num(?:Cache|Lit)$/.test(open.at(-3) ?? '')) return;
        const shown = display(text, formatOfPoint ?? formatOfSeries);
        if (shown === text) return;
        written += xml.slice(copiedTo, parser.startIndex) + escapeHtml(shown);
        copiedTo = parser.endIndex + 1;
      },
      onclosetag() {
        open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return written + xml.slice(copiedTo);

  function display(text: string, code: string): string {
    const value = Number(text);
    if (code === '' || code === 'General' || Number.isNaN(value)) return text;
    return displayNumber(value, { format: code, is1904 }) ?? text;
  }
}
