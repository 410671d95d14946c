import { readFile } from 'node:fs/promises';
import type { Element } from 'domhandler';
import { findBoilerplate } from '../../src/content/html/main-content/index.ts';
import { isParentElement } from '../../src/content/html/nodes.ts';
import { parseHtml } from '../../src/content/html/parse/parse.ts';
import { oneLine, textOf } from '../../src/content/html/text.ts';

/** The levels of an element's path that are shown, and the characters of its text. */
const MAX_LEVELS = 4;
const MAX_TEXT = 100;

/**
 * Tells what `onlyMainContent` drops of a page, and why: for each dropped element its signs, its place and the
 * beginning of its text.
 * @param source the URL of the page, or the path of a file
 */
export async function explainPage(source: string): Promise<string> {
  const html = URL.canParse(source) ? await (await fetch(source)).text() : await readFile(source, 'utf8');
  const decisions = [...findBoilerplate(parseHtml(html), { engine: 'http' }).entries()];
  return decisions
    .map(([element, signs]) => ({ element, signs, text: oneLine(textOf(element)) }))
    .filter(({ text }) => text !== '')
    .map(({ element, signs, text }) =>
      [
        signs.map(({ kind, detail }) => `${kind} (${detail})`).join(' + '),
        `  ${pathOf(element)}`,
        `  ${text.slice(0, MAX_TEXT)}${text.length > MAX_TEXT ? ' …' : ''}`,
      ].join('\n'),
    )
    .join('\n');
}

/** The tags, ids and first classes of an element and those around it, outermost first. */
function pathOf(element: Element): string {
  const path: string[] = [];
  for (let at: Element['parent'] = element; isParentElement(at) && path.length < MAX_LEVELS; at = at.parent) {
    const { id, class: classes = '' } = at.attribs;
    const [first] = classes.trim().split(/\s+/);
    path.unshift(`${at.name}${id ? `#${id}` : ''}${first ? `.${first}` : ''}`);
  }
  return path.join(' > ');
}
