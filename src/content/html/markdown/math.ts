import type { Element } from 'domhandler';
import { findOne, textContent } from 'domutils';
import { isParentElement, isTag } from '../nodes.ts';
import { mathmlToTex } from './mathml-to-tex.ts';
import type { ElementRule, MarkdownWriter } from './writer.ts';

/** Rendered copies that KaTeX, MathJax and MediaWiki put beside the MathML of a formula. */
const RENDERED_COPY =
  /(?:^|\s)(?:katex-html|MathJax_Preview|MJX_Preview|mwe-math-fallback-image-\w+)(?:\s|$)/;
const FORMULA =
  /(?:^|\s)(?:katex|katex-display|MathJax|MathJax_(?:CHTML|SVG)|(?:MathJax(?:_SVG)?_D|MJXc-d)isplay|mwe-math-element)(?:\s|$)/;
const DISPLAY = /(?:^|\s)(?:katex-display|MathJax_Display|mwe-math-element-block)(?:\s|$)/;

/**
 * A formula as TeX between dollar signs: the author's own TeX where the page has it, otherwise made from
 * MathML.
 */
export const math: ElementRule = (writer, element) => {
  const tex = sourceTex(element) ?? mathmlToTex(element);
  writeFormula(writer, tex, element.attribs.display === 'block' || isDisplayMath(element));
};

/** The script element in which MathJax 2 keeps a formula. */
export const mathScript: ElementRule = (writer, element) => {
  if (isMathScript(element)) {
    writeFormula(writer, textContent(element), /mode=display/i.test(element.attribs.type ?? ''));
  }
};

/** Whether an element is a script in which MathJax 2 keeps a formula. */
export const isMathScript = ({ name, attribs }: Element) =>
  name === 'script' && /^\s*math\/tex/i.test(attribs.type ?? '');

/** The output of MathJax 3: glyphs, and MathML for assistive technology, which is used here. */
export const mathContainer: ElementRule = (writer, element) => {
  const inside = findOne(({ name }) => name === 'math', element.children);
  if (inside)
    writeFormula(writer, sourceTex(inside) ?? mathmlToTex(inside), element.attribs.display === 'true');
  else writer.walk(element.children);
};

/**
 * An element that may be the rendering of a formula; it is skipped when the formula itself stands inside or
 * beside it.
 */
export const renderedMath: ElementRule = (writer, element) => {
  const { class: names } = element.attribs;
  if (names === undefined || !/kat|ath|MJX/.test(names)) return writer.walk(element.children);
  const isFormula = FORMULA.test(names);
  const { next } = element;
  if (RENDERED_COPY.test(names) || (isFormula && next && isTag(next) && isMathScript(next))) return;
  const inside = isFormula ? findOne(({ name }) => name === 'math', element.children) : null;
  if (inside) writer.element(inside);
  else writer.walk(element.children);
};

function writeFormula(writer: MarkdownWriter, written: string, isDisplay: boolean): void {
  const tex = written.trim().replace(/\s*\n\s*/g, isDisplay ? '\n' : ' ');
  if (tex === '') return;
  writer.countText(tex.length);
  if (!isDisplay) writer.line.raw(`$${tex}$`);
  else if (writer.isInline) writer.line.raw(`$$${tex.replace(/\n/g, ' ')}$$`);
  else writer.addBlock({ kind: 'other', text: `$$\n${tex}\n$$` });
}

/** The author's TeX that a formula was made from, if the page keeps it. */
function sourceTex(element: Element): string | undefined {
  const annotation = findOne(
    ({ name, attribs }) => name === 'annotation' && /tex/i.test(attribs.encoding ?? ''),
    element.children,
  );
  const tex = annotation ? textContent(annotation) : element.attribs.alttext;
  // MediaWiki wraps every formula in a display style, which says nothing about the formula.
  return tex?.trim() ? tex.trim().replace(/^\{\\(?:display|text)style ([\s\S]*)\}$/, '$1') : undefined;
}

function isDisplayMath(element: Element): boolean {
  for (let at = element.parent, steps = 0; isParentElement(at) && steps < 4; at = at.parent, steps++) {
    if (DISPLAY.test(at.attribs.class ?? '')) return true;
  }
  return false;
}
