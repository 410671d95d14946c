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
  walkBlocks(root, {
    emit({ kind, text }) {
      blocks.push({ kind, text, section: kind === 'heading' ? '' : section });
      if (kind === 'heading') section = text;
    },
  });
  return blocks;
}

/** How the blocks of a tree are read. */
interface BlockWalk<Part> {
  /** Receives each block, and the part of the page that it belongs to. */
  emit(block: { kind: TextBlock['kind']; text: string; part: Part | undefined }): void;
  /** The part of the page that an element belongs to. A block ends where a part ends. */
  partOf?(element: Element, outer: Part | undefined): Part | undefined;
  /** The part of the page that the tree belongs to. */
  part?: Part | undefined;
}

/** Reads the blocks of a tree in document order. Text beyond a million characters is ignored. */
export function walkBlocks<Part = undefined>(root: ParentNode, walk: BlockWalk<Part>): void {
  const { emit, partOf = (_, outer) => outer } = walk;
  let part = walk.part;
  let line = '';
  let characters = 0;

  function flush(kind: TextBlock['kind']): void {
    const text = oneLine(line);
    line = '';
    if (text === '' || characters > MAX_CHARACTERS) return;
    characters += text.length;
    emit({ kind, text, part });
  }

  /** Recursion is safe, because the parser limits the depth of a page. */
  function visit(nodes: ChildNode[], kind: TextBlock['kind']): void {
    for (const node of nodes) {
      if (isText(node)) line += node.data;
      else if (isTag(node) && !isNeverShown(node.name)) visitPart(node, kind);
    }
  }

  function visitPart(element: Element, outer: TextBlock['kind']): void {
    const before = part;
    const next = partOf(element, part);
    if (next !== before) flush(outer);
    part = next;
    visitElement(element, outer);
    if (next !== before) flush(kindOf(element.name) ?? outer);
    part = before;
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
