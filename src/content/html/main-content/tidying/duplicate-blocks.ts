import { type ChildNode, type Element, hasChildren } from 'domhandler';
import { prevElementSibling, textContent } from 'domutils';
import { lazy } from '../../lazy.ts';
import { isHeading, isParentElement, isTag, isText } from '../../nodes.ts';
import { oneLine } from '../../text.ts';
import { isRunningText } from '../page-index/page-index.ts';
import { allTypesExcept, type PrunedPage, type Stage } from '../stage.ts';

/** Shorter blocks may repeat by chance. Characters that are not blank. */
const MIN_BLOCK_LENGTH = 40;
/** Longer blocks are compared child by child. */
const MAX_BLOCK_LENGTH = 3_000;
/** Number of characters at the beginning of a block that tell it apart from almost all others. */
const LEAD_LENGTH = 32;
/** Longer headings are compared by their beginning. Characters. */
const MAX_HEADING_LENGTH = 500;
/** The number of elements that begin with a block above which the text before it is not looked for. */
const MAX_LEVELS = 3;
/** Elements that are compared as a whole. */
const COMPARED_AS_WHOLE = new Set(['ul', 'ol', 'dl', 'table']);
/** Elements in which equal texts are separate values. */
const MAY_REPEAT = new Set(['td', 'th', 'tr', 'li', 'pre', 'code']);

/**
 * Drops blocks that repeat an earlier block, for example for small screens or in every slide. Threads and
 * documentation repeat text on purpose.
 */
export const duplicateBlocksStage: Stage = {
  name: 'drop duplicate blocks',
  types: allTypesExcept('forum', 'documentation'),
  run({ root, pruned, index }) {
    const isReference = isRunningText(index.type) || index.type === 'service';
    dropDuplicateBlocks(root, pruned, new SeenBlocks(isReference, pruned.remaining));
  },
};

function dropDuplicateBlocks(root: Element, pruned: PrunedPage, blocks: SeenBlocks): void {
  const { remaining, dropped } = pruned;
  for (const child of root.children) {
    if (!isTag(child) || dropped.has(child) || MAY_REPEAT.has(child.name)) continue;
    if (isHeading(child)) blocks.heading = lazy(() => textOfBlock(child).slice(0, MAX_HEADING_LENGTH));
    const length = remaining.get(child)?.length ?? 0;
    if (length < MIN_BLOCK_LENGTH) continue;
    if (length > MAX_BLOCK_LENGTH || !(COMPARED_AS_WHOLE.has(child.name) || isParagraph(child, remaining))) {
      dropDuplicateBlocks(child, pruned, blocks);
      continue;
    }
    if (blocks.hasSeen(child)) dropped.drop(child, { kind: 'repetition', detail: 'an earlier block' });
  }
}

/** A block with the heading before it. The same text under another heading says something else. */
interface Block {
  element: Element;
  heading: () => string;
}

/**
 * Finds repeated blocks. Only the texts of blocks that begin with the same characters are read as a whole.
 */
class SeenBlocks {
  readonly #isReference: boolean;
  readonly #remaining: PrunedPage['remaining'];
  /** The heading before the blocks. */
  heading = () => '';
  /** By these characters: the block, or the texts of several blocks. */
  readonly #byLead = new Map<string, Block | Set<string>>();

  /**
   * @param isReference whether the page may be a reference, where the same text after another signature says
   *     something else
   */
  constructor(isReference: boolean, remaining: PrunedPage['remaining']) {
    this.#isReference = isReference;
    this.#remaining = remaining;
  }

  /** Whether a block has the text of an earlier one. Remembers the block. */
  hasSeen(element: Element): boolean {
    const block = { element, heading: this.heading };
    const lead = leadOf(element);
    const alike = this.#byLead.get(lead);
    if (!alike) {
      this.#byLead.set(lead, block);
      return false;
    }
    const texts = alike instanceof Set ? alike : new Set([this.#textOf(alike)]);
    this.#byLead.set(lead, texts);
    const text = this.#textOf(block);
    const isRepeated = texts.has(text);
    texts.add(text);
    return isRepeated;
  }

  /** The text of a block after that of its heading and of its signature, if it may have one. */
  #textOf({ element, heading }: Block): string {
    const signature = this.#isReference ? signatureBefore(element, this.#remaining) : '';
    return `${heading()}\n${signature}\n${textOfBlock(element)}`;
  }
}

/**
 * The line before a block, in the same element or before those that it begins, which a block of text is about.
 * A heading is remembered by itself.
 */
function signatureBefore(block: Element, remaining: PrunedPage['remaining']): string {
  let at: Element = block;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const before = prevElementSibling(at);
    if (before) return hasProse(before, remaining) || isHeading(before) ? '' : leadOf(before);
    if (!isParentElement(at.parent)) return '';
    at = at.parent;
  }
  return '';
}

const textOfBlock = (block: Element) => oneLine(textContent(block));

/** The first characters of the text of a block; all of a shorter text. */
function leadOf(block: Element): string {
  let text = '';
  let lead = '';
  const stack: ChildNode[] = [block];
  for (let node = stack.pop(); node && lead.length < LEAD_LENGTH; node = stack.pop()) {
    if (isText(node)) {
      text += node.data;
      lead = oneLine(text.slice(0, 2 * LEAD_LENGTH));
      if (lead.length >= LEAD_LENGTH) break;
      // White space is collapsed at once, so that what was read is not longer than what it says.
      text = text.replace(/\s+/g, ' ');
      lead = text.trim();
    } else if (hasChildren(node)) {
      for (let at = node.children.length - 1; at >= 0; at--) stack.push(node.children[at]!);
    }
  }
  return lead.slice(0, LEAD_LENGTH);
}

/** Whether an element has prose that is not inside a child element. */
function isParagraph(element: Element, remaining: PrunedPage['remaining']): boolean {
  if (!hasProse(element, remaining)) return false;
  for (const child of element.children) if (isTag(child) && hasProse(child, remaining)) return false;
  return true;
}

const hasProse = (element: Element, remaining: PrunedPage['remaining']) =>
  (remaining.get(element)?.prose ?? 0) > 0;
