import { type Element, isTag } from 'domhandler';
import { findOne, textContent } from 'domutils';
import { texOf } from './mathml.ts';
import type { Rule, Writer } from './writer.ts';

/** What KaTeX, MathJax and MediaWiki show beside or instead of a formula that is there as MathML too. */
const SHOWN = /(?:^|\s)(?:katex-html|MathJax_Preview|MJX_Preview|mwe-math-fallback-image-\w+)(?:\s|$)/;
const FORMULA =
  /(?:^|\s)(?:katex|katex-display|MathJax|MathJax_(?:CHTML|SVG)|(?:MathJax(?:_SVG)?_D|MJXc-d)isplay|mwe-math-element)(?:\s|$)/;
const DISPLAY = /(?:^|\s)(?:katex-display|MathJax_Display|mwe-math-element-block)(?:\s|$)/;

/** A formula as TeX between dollars, in the words of whoever wrote it when they are there. */
export const math: Rule = (writer, element) => {
  const tex = writtenTex(element) ?? texOf(element);
  write(writer, tex, element.attribs.display === 'block' || isDisplayed(element));
};

/** What MathJax 2 keeps a formula in. */
export const mathScript: Rule = (writer, element) => {
  if (isMathScript(element)) {
    write(writer, textContent(element), /mode=display/i.test(element.attribs.type ?? ''));
  }
};

/** Whether an element is a script that keeps a formula. */
export const isMathScript = ({ name, attribs }: Element) =>
  name === 'script' && /^\s*math\/tex/i.test(attribs.type ?? '');

/** What MathJax 3 makes of a formula: pictures of signs, and for those who cannot see them, MathML. */
export const mathContainer: Rule = (writer, element) => {
  const inside = findOne(({ name }) => name === 'math', element.children);
  if (inside) write(writer, writtenTex(inside) ?? texOf(inside), element.attribs.display === 'true');
  else writer.walk(element.children);
};

/** An element that may be how a formula looks like; it goes when what it means stands beside it. */
export const shown: Rule = (writer, element) => {
  const { class: names } = element.attribs;
  if (names === undefined || !/kat|ath|MJX/.test(names)) return writer.walk(element.children);
  const isFormula = FORMULA.test(names);
  const { next } = element;
  if (SHOWN.test(names) || (isFormula && next && isTag(next) && isMathScript(next))) return;
  const inside = isFormula ? findOne(({ name }) => name === 'math', element.children) : null;
  if (inside) writer.element(inside);
  else writer.walk(element.children);
};

function write(writer: Writer, written: string, isDisplay: boolean): void {
  const tex = written.trim().replace(/\s*\n\s*/g, isDisplay ? '\n' : ' ');
  if (tex === '') return;
  writer.count(tex.length);
  if (!isDisplay) writer.line.raw(`$${tex}$`);
  else if (writer.isFlat) writer.line.raw(`$$${tex.replace(/\n/g, ' ')}$$`);
  else writer.add({ kind: 'other', text: `$$\n${tex}\n$$` });
}

/** The TeX that a formula was made from. */
function writtenTex(element: Element): string | undefined {
  const annotation = findOne(
    ({ name, attribs }) => name === 'annotation' && /tex/i.test(attribs.encoding ?? ''),
    element.children,
  );
  const said = annotation ? textContent(annotation) : element.attribs.alttext;
  // MediaWiki's formulas are all shown large.
  return said?.trim() ? said.trim().replace(/^\{\\(?:display|text)style ([\s\S]*)\}$/, '$1') : undefined;
}

function isDisplayed(element: Element): boolean {
  for (let at = element.parent, steps = 0; at && isTag(at) && steps < 4; at = at.parent, steps++) {
    if (DISPLAY.test(at.attribs.class ?? '')) return true;
  }
  return false;
}
