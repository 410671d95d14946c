import { seeded } from '../../test/site/random.ts';

/** How a document is printed. Everything follows from the seed. */
export interface PrintTheme {
  /** A description of the theme, in a few words. */
  summary: string;
  css: string;
  /** Whether the PDF has tags. */
  tagged: boolean;
  /** Whether pages have running heads and numbers. */
  hasRunningHeads: boolean;
  /** Whether the headings of the second to fourth level are numbered. */
  isNumbered: boolean;
  /** Whether headings are printed in capitals. */
  hasCapitals: boolean;
}

const FAMILIES = [
  'DejaVu Sans',
  'DejaVu Serif',
  'DejaVu Sans Condensed',
  'DejaVu Serif Condensed',
  'Noto Sans CJK SC',
  'Noto Serif CJK SC',
];
const CODE_FAMILIES = ['DejaVu Sans Mono', 'Noto Sans Mono CJK SC'];
const COLUMNS = [1, 1, 1, 1, 2, 2, 3];
const BULLETS = ['disc', 'circle', 'square', '"– "', '"• "'];

/** How headings differ from the text. Sizes are those of the second to fourth level, relative to the text. */
const HEADINGS: Record<string, { sizes: [number, number, number]; rule: string }> = {
  'bold and large': { sizes: [1.5, 1.25, 1.1], rule: 'font-weight: bold' },
  large: { sizes: [1.6, 1.35, 1.2], rule: 'font-weight: normal' },
  coloured: { sizes: [1.4, 1.25, 1.15], rule: 'font-weight: normal; color: #1a5276' },
  bold: { sizes: [1, 1, 1], rule: 'font-weight: bold' },
  'a little larger': { sizes: [1.2, 1.1, 1], rule: 'font-weight: bold' },
  capitals: { sizes: [1.2, 1, 1], rule: 'font-weight: bold; text-transform: uppercase' },
  'in another font': { sizes: [1.3, 1.15, 1], rule: 'font-weight: bold; font-family: "DejaVu Sans"' },
};

const RULE = '0.6pt solid #333';
/** The rules around the cells of tables. */
const TABLES: Record<string, string> = {
  ruled: `th, td { border: ${RULE} }`,
  'rules between rows': `tr { border-bottom: ${RULE} }`,
  'a rule under the head': `thead tr { border-bottom: ${RULE} }`,
  'rules at the ends': `table { border-top: 1pt solid; border-bottom: 1pt solid } thead tr { border-bottom: ${RULE} }`,
  'rules between columns': `td + td, th + th { border-left: ${RULE} } thead tr { border-bottom: ${RULE} }`,
  striped: 'tbody tr:nth-child(odd) { background: #e8eef4 }',
  'a shaded head': 'thead tr { background: #d5dde5 }',
  unruled: '',
};

const NUMBERED = `
body { counter-reset: a } h2 { counter-increment: a; counter-reset: b } h3 { counter-increment: b; counter-reset: c } h4 { counter-increment: c }
h2::before { content: counter(a) ". " } h3::before { content: counter(a) "." counter(b) " " }
h4::before { content: counter(a) "." counter(b) "." counter(c) " " }`;

/** A theme for printing. The same seed gives the same theme. */
export function themeOf(seed: number): PrintTheme {
  const { pick, whole } = seeded(seed);
  const isOne = (of: number) => whole(of) === 0;
  const between = (least: number, most: number) => (least + ((most - least) * whole(11)) / 10).toFixed(2);
  const columns = pick(COLUMNS);
  const [heading, table] = [pick(Object.keys(HEADINGS)), pick(Object.keys(TABLES))];
  const { sizes, rule } = HEADINGS[heading] as (typeof HEADINGS)[string];
  const [isJustified, isNumbered, isShuffled] = [isOne(2), isOne(3), isOne(2)];
  const [hasRunningHeads, tagged, isIndented] = [!isOne(3), isOne(3), isOne(4)];
  const size = columns > 1 ? between(8, 9.5) : between(9, 12);
  const css = `
@page { size: ${pick(['A4', 'Letter'])}; margin: ${between(20, 28)}mm ${between(14, 28)}mm }
body { margin: 0; font: ${size}pt/${between(1.15, 1.6)} "${pick(FAMILIES)}"; overflow-wrap: break-word }
${columns > 1 ? `body { columns: ${columns}; column-gap: ${between(5, 9)}mm } h1 { column-span: all } th, td { overflow-wrap: anywhere }` : ''}
p, li { ${isJustified ? 'text-align: justify; hyphens: auto' : 'text-align: left'} }
p { margin: ${isIndented ? '0; text-indent: 1.5em' : `${between(0.5, 1)}em 0`} }
h1, h2, h3, h4, h5, h6 { ${rule}; line-height: 1.2; margin: ${between(1, 1.6)}em 0 ${between(0.3, 0.7)}em; break-after: avoid }
h1 { font-size: ${between(1.7, 2.4)}em; ${isOne(3) ? 'text-align: center' : ''} }
h2 { font-size: ${sizes[0]}em } h3 { font-size: ${sizes[1]}em } h4, h5, h6 { font-size: ${sizes[2]}em }
${isNumbered ? NUMBERED : ''}
ul { list-style: ${pick(BULLETS)} } ul, ol { margin: .5em 0; padding-left: ${between(1.4, 2.6)}em }
li { margin: ${between(0, 0.5)}em 0 }
pre, code { font-family: "${pick(CODE_FAMILIES)}"; font-size: ${between(0.8, 0.95)}em }
pre code { font-size: 1em }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: ${between(0, 8)}pt; ${pick(['', 'background: #f2f2f2', `border: ${RULE}`])} }
blockquote { margin: .6em 1.6em; ${pick(['', 'font-style: italic', `border-left: 2pt solid #888; padding-left: 6pt`])} }
a { color: ${pick(['inherit', '#06c'])}; ${isOne(2) ? 'text-decoration: none' : ''} }
table { border-collapse: collapse; margin: .8em 0; ${isOne(2) ? 'width: 100%' : ''} }
th, td { padding: ${between(1, 5)}pt ${between(4, 9)}pt; text-align: left; vertical-align: ${pick(['top', 'middle'])} }
th { font-weight: ${pick(['bold', 'bold', 'normal'])} } tr { break-inside: avoid }
${TABLES[table]}
${isShuffled ? shuffled(whole) : ''}`;
  const traits = {
    justified: isJustified,
    numbered: isNumbered,
    shuffled: isShuffled,
    tagged,
    'running heads': hasRunningHeads,
    indented: isIndented,
  };
  const others = Object.entries(traits).flatMap(([name, has]) => (has ? [name] : []));
  const summary = [`${columns} col.`, `${size} pt`, `headings ${heading}`, `tables ${table}`, ...others].join(
    ', ',
  );
  return { summary, css, tagged, hasRunningHeads, isNumbered, hasCapitals: heading === 'capitals' };
}

/**
 * The HTML of a document with what a theme prints of it: with the numbers and capitals of its headings, without
 * the languages of its code, and without links whose URL is not absolute, which a PDF does not have.
 */
export function printedHtml(html: string, { isNumbered, hasCapitals }: PrintTheme): string {
  const numberOf = headingNumbers();
  return html
    .replace(/<(h[1-6])>(.*?)<\/\1>/gs, (_, name: string, content: string) => {
      const number = isNumbered ? numberOf(name) : '';
      return `<${name}>${number}${hasCapitals ? inCapitals(content) : content}</${name}>`;
    })
    .replace(/<code class="[^"]*">/g, '<code>')
    .replace(/<a (?![^>]*href="(?:https?|mailto):)[^>]*>(.*?)<\/a>/gs, '$1');
}

/** Counts headings as the style sheet of numbered themes does. */
function headingNumbers(): (name: string) => string {
  let [second, third, fourth] = [0, 0, 0];
  return (name) => {
    if (name === 'h2') [second, third] = [second + 1, 0];
    if (name === 'h3') [third, fourth] = [third + 1, 0];
    if (name === 'h4') fourth++;
    const numbers: Record<string, string> = {
      h2: `${second}. `,
      h3: `${second}.${third} `,
      h4: `${second}.${third}.${fourth} `,
    };
    return numbers[name] ?? '';
  };
}

/** The text of HTML in capitals. Tags and references to characters stay. */
const inCapitals = (html: string) =>
  html.replace(/<[^>]*>|&#?\w+;|[^<&]+/g, (part) => (/^[<&]/.test(part) ? part : part.toUpperCase()));

/** Rules by which blocks are drawn in another order than that in which they are read. */
function shuffled(whole: (below: number) => number): string {
  const rules = [2, 3, 5, 7, 11].map((step) => `body > :nth-child(${step}n) { z-index: ${whole(50)} }`);
  return `body > * { position: relative; z-index: ${whole(50)} }\n${rules.join('\n')}`;
}
