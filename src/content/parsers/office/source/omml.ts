import { Parser } from 'htmlparser2';
import { escapeHtml } from '../../../html/parse/escape-html.ts';
import { localName } from '../../package-parts.ts';

/** An element of a formula; `val` is the value of a property. */
interface MathElement {
  name: string;
  val: string | undefined;
  text: string;
  children: MathElement[];
}

/** Formulas nested deeper than this lose their inner parts. */
const MAX_DEPTH = 60;

/**
 * Converts a formula of Office (Office MathML, ECMA-376-1, 22.1) to MathML.
 * @param xml the element `m:oMath`
 * @returns the element `math`; empty for a formula without content
 */
export function ommlToMathml(xml: string): string {
  const content = sequence(readTree(xml).children);
  return content && `<math>${content}</math>`;
}

function readTree(xml: string): MathElement {
  const root: MathElement = { name: '', val: undefined, text: '', children: [] };
  const open = [root];
  const parser = new Parser(
    {
      onopentag(tag, { 'm:val': val }) {
        const element = { name: localName(tag), val, text: '', children: [] };
        if (open.length < MAX_DEPTH) open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(text) {
        const element = open.at(-1);
        if (element?.name === 't') element.text += text;
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return root;
}

const child = ({ children }: MathElement, name: string) => children.find((each) => each.name === name);
/** The value of a property of a structure, such as the character of `m:naryPr`. */
const property = (element: MathElement, name: string): string | undefined => {
  const properties = child(element, `${element.name}Pr`);
  const found = properties && child(properties, name);
  return found && (found.val ?? '');
};
const isOn = (value: string | undefined) => value !== undefined && !/^(?:0|off|false)$/.test(value);

const sequence = (elements: readonly MathElement[]) => elements.map(toMathml).join('');
/** The content of a part, such as the numerator, as one element. */
const part = (element: MathElement, name: string) => row(sequence(child(element, name)?.children ?? []));
const row = (content: string) => `<mrow>${content}</mrow>`;
const operator = (text: string) => (text ? `<mo>${escapeHtml(text)}</mo>` : '');

/** Structures by their names. Elements that are not listed are written as their content. */
const STRUCTURES: Record<string, (element: MathElement) => string> = {
  r: (run) => runText(run),
  f: (fraction) =>
    `<mfrac${property(fraction, 'type') === 'noBar' ? ' linethickness="0"' : ''}>${part(fraction, 'num')}${part(fraction, 'den')}</mfrac>`,
  rad: (root) =>
    isOn(property(root, 'degHide')) || !child(root, 'deg')?.children.length
      ? `<msqrt>${part(root, 'e')}</msqrt>`
      : `<mroot>${part(root, 'e')}${part(root, 'deg')}</mroot>`,
  sSup: (script) => `<msup>${part(script, 'e')}${part(script, 'sup')}</msup>`,
  sSub: (script) => `<msub>${part(script, 'e')}${part(script, 'sub')}</msub>`,
  sSubSup: (script) => `<msubsup>${part(script, 'e')}${part(script, 'sub')}${part(script, 'sup')}</msubsup>`,
  sPre: (script) =>
    `<msubsup><mrow></mrow>${part(script, 'sub')}${part(script, 'sup')}</msubsup>${part(script, 'e')}`,
  limLow: (limit) => `<munder>${part(limit, 'e')}${part(limit, 'lim')}</munder>`,
  limUpp: (limit) => `<mover>${part(limit, 'e')}${part(limit, 'lim')}</mover>`,
  acc: (accent) =>
    `<mover accent="true">${part(accent, 'e')}${operator(property(accent, 'chr') ?? '\u0302')}</mover>`,
  bar: (bar) => {
    const name = property(bar, 'pos') === 'top' ? 'mover' : 'munder';
    return `<${name}>${part(bar, 'e')}<mo>¯</mo></${name}>`;
  },
  groupChr: (group) => {
    const name = property(group, 'pos') === 'top' ? 'mover' : 'munder';
    return `<${name}>${part(group, 'e')}${operator(property(group, 'chr') ?? '⏟')}</${name}>`;
  },
  func: (call) => `${part(call, 'fName')}<mo>\u2061</mo>${part(call, 'e')}`,
  nary: (element) => `${largeOperator(element)}${part(element, 'e')}`,
  d: (group) => delimited(group),
  m: (matrix) => tableOf(matrix.children.filter(({ name }) => name === 'mr').map((each) => each.children)),
  eqArr: (array) => tableOf(array.children.filter(({ name }) => name === 'e').map((each) => [each])),
};

/** Properties have values in attributes only, and no content. */
const toMathml = (element: MathElement): string =>
  (Object.hasOwn(STRUCTURES, element.name) && STRUCTURES[element.name]?.(element)) ||
  sequence(element.children);

/**
 * Numbers, names of functions and other words of several letters in upright letters, single letters, and
 * signs.
 */
const TOKENS = /[\p{N}]+(?:[.,]\p{N}+)*|\p{L}\p{M}*|\s+|[^\s]/gu;

const FUNCTION =
  /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|exp|lim|max|min|sup|inf|det|dim|gcd|ker|arg|deg|mod)$/;

function runText(run: MathElement): string {
  const text = run.children
    .filter(({ name }) => name === 't')
    .map((each) => each.text)
    .join('');
  const properties = child(run, 'rPr');
  const isUpright = properties && (child(properties, 'nor') ?? child(properties, 'sty')?.val === 'p');
  if (isUpright && /^\p{L}{2,}$/u.test(text.trim())) return `<mi>${escapeHtml(text.trim())}</mi>`;
  if (properties && child(properties, 'nor')) return `<mtext>${escapeHtml(text)}</mtext>`;
  return mathTokens(text);
}

/** Writes the numbers, letters and signs of a formula; names of functions are one word. */
export function mathTokens(text: string): string {
  if (FUNCTION.test(text.trim())) return `<mi>${text.trim()}</mi>`;
  return (text.match(TOKENS) ?? [])
    .filter((token) => token.trim())
    .map((token) => {
      if (/^\p{N}/u.test(token)) return `<mn>${escapeHtml(token)}</mn>`;
      return /^\p{L}/u.test(token) ? `<mi>${escapeHtml(token)}</mi>` : operator(token);
    })
    .join('');
}

/** A sum, an integral or the like with its limits. */
function largeOperator(element: MathElement): string {
  const sign = operator(property(element, 'chr') ?? '∫');
  const has = (name: 'sub' | 'sup') =>
    !isOn(property(element, `${name}Hide`)) && (child(element, name)?.children.length ?? 0) > 0;
  const isAbove = property(element, 'limLoc') === 'undOvr';
  const [both, below, above] = isAbove ? ['munderover', 'munder', 'mover'] : ['msubsup', 'msub', 'msup'];
  if (has('sub') && has('sup'))
    return `<${both}>${sign}${part(element, 'sub')}${part(element, 'sup')}</${both}>`;
  if (has('sub')) return `<${below}>${sign}${part(element, 'sub')}</${below}>`;
  return has('sup') ? `<${above}>${sign}${part(element, 'sup')}</${above}>` : sign;
}

function delimited(group: MathElement): string {
  const separator = operator(property(group, 'sepChr') ?? '|');
  const parts = group.children.filter(({ name }) => name === 'e').map((each) => row(sequence(each.children)));
  const [open, close] = [property(group, 'begChr') ?? '(', property(group, 'endChr') ?? ')'];
  const content = parts.join(separator);
  // A brace without its counterpart, as before the cases of a function, needs one in TeX that is not seen.
  if (Boolean(open) !== Boolean(close))
    return `<mfenced open="${escapeHtml(open)}" close="${escapeHtml(close)}" separators="">${row(content)}</mfenced>`;
  return row(`${operator(open)}${content}${operator(close)}`);
}

const tableOf = (rows: readonly (readonly MathElement[])[]) =>
  `<mtable>${rows
    .map((cells) => `<mtr>${cells.map((cell) => `<mtd>${sequence(cell.children)}</mtd>`).join('')}</mtr>`)
    .join('')}</mtable>`;
