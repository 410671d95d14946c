/** How a number is written whose format SheetJS does not know. */
interface FormatTools {
  /** Writes a number in a format that SheetJS knows; undefined for others. */
  format(format: string, value: number): string | undefined;
  /** The date of a number of days; undefined for numbers that are none. */
  dateOf(value: number): { y: number; m: number; d: number } | undefined;
}

/** The eras of Japan since 1868: their first days, names and letters. */
const ERAS: [firstDay: string, name: string, letter: string][] = [
  ['2019-05-01', '令和', 'R'],
  ['1989-01-08', '平成', 'H'],
  ['1926-12-25', '昭和', 'S'],
  ['1912-07-30', '大正', 'T'],
  ['1868-01-25', '明治', 'M'],
];
/** Year 1 of the calendar of the Republic of China. */
const MINGUO_YEAR = 1911;

/**
 * Quoted text, an escaped, padding or repeated character, and conditions or locales, which are no letters.
 */
const LITERAL = /"[^"]*"|[\\_*][\s\S]|\[[^\]]*\]/g;
const withoutLiterals = (format: string) => format.replace(LITERAL, '');

const hasEra = (format: string) => /g/i.test(withoutLiterals(format).replace(/General/gi, ''));
const hasEraYear = (format: string) =>
  /\[\$-(?:[0-9a-f]*0?411|[0-9a-f]*0?404|ja-JP|zh-TW)[^\]]*\]/i.test(format) &&
  /e/i.test(withoutLiterals(format).replace(/General|E[+-]/gi, ''));
const isIndian = (format: string) => /#,##,##0/.test(format);
const hasGeneral = (format: string) =>
  /General/i.test(withoutLiterals(format)) && !/^General$/i.test(format.trim());

/**
 * Whether SheetJS writes numbers in a format wrongly: in years of eras, with Indian groups, or with units.
 */
export const isSpecialFormat = (format: string): boolean =>
  hasEra(format) || hasEraYear(format) || isIndian(format) || hasGeneral(format);

/** Writes a number in a format of {@link isSpecialFormat}. @returns undefined if it cannot be written so */
export function displaySpecial(value: number, format: string, tools: FormatTools): string | undefined {
  if (hasEra(format) || hasEraYear(format)) {
    const date = tools.dateOf(value);
    return date && tools.format(withEra(format, date), value);
  }
  if (isIndian(format)) {
    const shown = tools.format(format.replaceAll('#,##,##0', '#,##0'), value);
    return shown?.replace(/\d{1,3}(?:,\d{3})+/, indianGroups);
  }
  return withGeneral(value, format, tools);
}

function withEra(format: string, { y, m, d }: { y: number; m: number; d: number }): string {
  const day = `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
  const isTaiwanese = /\[\$-(?:[0-9a-f]*404|zh-TW)/i.test(format);
  const era = ERAS.find(([firstDay]) => day >= firstDay);
  const year = isTaiwanese ? y - MINGUO_YEAR : era ? y - Number(era[0].slice(0, 4)) + 1 : y;
  const [name, letter] = isTaiwanese ? ['民國', '民國'] : [era?.[1] ?? '', era?.[2] ?? ''];
  return format.replace(/"[^"]*"|[\\_*][\s\S]|\[[^\]]*\]|g{1,3}|e{1,2}|r{1,2}/gi, (part) => {
    if (/^\[\$-/.test(part)) return '';
    if (/^g/i.test(part))
      return quoted([letter, name.slice(0, isTaiwanese ? 2 : 1), name][part.length - 1] ?? '');
    if (/^[er]/i.test(part)) return quoted(String(year).padStart(part.length, '0'));
    return part;
  });
}

function indianGroups(digits: string): string {
  const plain = digits.replaceAll(',', '');
  const rest = plain.slice(0, -3).replace(/\B(?=(?:\d{2})+$)/g, ',');
  return rest ? `${rest},${plain.slice(-3)}` : plain;
}

/** A number as it is typed, between the texts of its section. */
function withGeneral(value: number, format: string, tools: FormatTools): string | undefined {
  const sections = format.match(/(?:"[^"]*"|[\\_*][\s\S]|\[[^\]]*\]|[^;])+|;(?=;|$)/g) ?? [];
  const parts = sections.map((section) => (section === ';' ? '' : section));
  const place = value < 0 && parts.length > 1 ? 1 : value === 0 && parts.length > 2 ? 2 : 0;
  const section = parts[place] ?? '';
  if (!/General/i.test(withoutLiterals(section))) return tools.format(section, place === 1 ? -value : value);
  const shown = tools.format('General', place === 1 ? -value : value);
  if (shown === undefined) return undefined;
  return section
    .replace(
      /"([^"]*)"|\\([\s\S])|[_*][\s\S]|\[[^\]]*\]|General/gi,
      (part, text?: string, character?: string) =>
        /^General$/i.test(part) ? shown : (text ?? character ?? ''),
    )
    .trim();
}

const quoted = (text: string) => (text ? `"${text}"` : '');
