import type { ChildNode, Element, ParentNode } from 'domhandler';
import { isTag, isText } from './nodes.ts';
import { isBlock, isNeverShown, oneLine } from './text.ts';

/** A unit of visible text: a paragraph, a list item, a table row, a heading or a code block. */
export interface TextBlock {
  kind: 'heading' | 'text' | 'item' | 'row' | 'code';
  /** The text in one line. */
  text: string;
  /** The heading above it; empty where there is none. */
  section: string;
}

/** Text beyond this length is ignored. */
const MAX_CHARACTERS = 1_000_000;

/** The text of a tree, block by block in document order. A term and its description are one block. */
export function extractBlocks(root: ParentNode): TextBlock[] {
  const blocks: TextBlock[] = [];
  let section = '';
  let line = '';
  let characters = 0;

  function flush(kind: TextBlock['kind']): void {
    const text = oneLine(line);
    line = '';
    if (text === '' || characters > MAX_CHARACTERS) return;
    characters += text.length;
    blocks.push({ kind, text, section: kind === 'heading' ? '' : section });
    if (kind === 'heading') section = text;
  }

  /** Recursion is safe, because the parser limits the depth of a page. */
  function visit(nodes: ChildNode[], kind: TextBlock['kind']): void {
    for (const node of nodes) {
      if (isText(node)) line += node.data;
      else if (isTag(node) && !isNeverShown(node.name)) visitElement(node, kind);
    }
  }

  function visitElement({ name, children }: Element, outer: TextBlock['kind']): void {
    const kind = kindOf(name) ?? outer;
    if (!isBlock(name) || outer === 'heading') visit(children, kind);
    else if (name === 'br' || name === 'hr') flush(outer);
    else if (JOINED_ELEMENTS.has(name) || outer === 'row') {
      // The element continues the current line.
      line += ' ';
      visit(children, kind);
      line += ' ';
    } else {
      flush(outer);
      visit(children, kind);
      if (name !== 'dt') flush(kind);
    }
  }

  visit(root.children, 'text');
  flush('text');
  return blocks;
}

/** Elements that continue the current line: cells of a row, and the description of a term. */
const JOINED_ELEMENTS = new Set(['td', 'th', 'dd']);

function kindOf(name: string): TextBlock['kind'] | undefined {
  if (/^h[1-6]$/.test(name)) return 'heading';
  if (name === 'li' || name === 'dl') return 'item';
  if (name === 'tr') return 'row';
  return name === 'pre' ? 'code' : undefined;
}

/** Splits plain text into blocks at blank lines. */
export function splitTextBlocks(text: string): TextBlock[] {
  return text
    .slice(0, MAX_CHARACTERS)
    .split(/\n[ \t\r]*\n/)
    .map(oneLine)
    .filter((each) => each !== '')
    .map((each) => ({ kind: 'text', text: each, section: '' }));
}
