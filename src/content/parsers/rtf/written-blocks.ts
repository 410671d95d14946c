import type { Inline, List, OfficeBlock, WrittenParagraph } from '../office/model.ts';

/** Labels that programs write as text in front of the items of a list. */
const BULLET = /^(?:[•◦▪▫‣⁃●○■□·∙–—*-]|\uf0b7|\uf0a7)$/;
const LABEL =
  /^\s*([•◦▪▫‣⁃●○■□·∙–—*\-\uf0b7\uf0a7]|\(?\d{1,4}[.)]|\(?[a-z]{1,2}[.)]|\(?[ivxlc]{1,6}[.)])[ \t]*(\t| )\s*(?=\S)/i;
/** Indents in twips that differ by less are equal: a fourteenth of an inch. */
const TOLERANCE = 100;
/** The most lists in lists. */
const MAX_DEPTH = 12;
/** The largest part of a document that can be code: in others, the font is that of all text. */
const MAX_CODE_SHARE = 0.8;

/** An item as it is written, and where its text begins. */
interface WrittenItem {
  label: string;
  indent: number;
  content: Inline[];
}

interface OpenList {
  list: List;
  indent: number;
  /** The number that the next item has; 0 for bullets and letters. */
  next: number;
}

/**
 * Makes lists and code blocks of the paragraphs of an RTF file that only look like them: items whose bullets
 * or numbers are characters with a tab behind them, and paragraphs in a font with letters of equal width.
 */
export function blocksAsWritten(blocks: readonly OfficeBlock[]): OfficeBlock[] {
  return asLists(asCode(blocks));
}

function asCode(blocks: readonly OfficeBlock[]): OfficeBlock[] {
  const code = blocks.filter((block) => codeOf(block) !== undefined);
  if (code.length === 0 || code.length > MAX_CODE_SHARE * blocks.length) return [...blocks];
  const written: OfficeBlock[] = [];
  let open: OfficeBlock | undefined;
  for (const block of blocks) {
    const text = codeOf(block);
    if (text === undefined) {
      open = undefined;
      written.push(block);
    } else if (open) {
      const blank = '\n'.repeat(block.source?.blankLinesBefore ?? 0);
      open.text = `${open.text}\n${blank}${text}`;
    } else {
      open = { kind: 'codeBlock', text };
      written.push(open);
    }
  }
  return written;
}

/** The text of a paragraph of code, with its indentation; undefined for others. */
function codeOf({ kind, source }: OfficeBlock): string | undefined {
  if (kind !== 'paragraph' || !source) return undefined;
  const runs = source.runs.filter(({ hidden }) => !hidden);
  const isCode = runs.some(({ text }) => text.trim()) && runs.every(({ text, code }) => code || !text.trim());
  return isCode
    ? runs
        .map(({ text }) => text)
        .join('')
        .replace(/\s+$/, '')
    : undefined;
}

function asLists(blocks: readonly OfficeBlock[]): OfficeBlock[] {
  const written: OfficeBlock[] = [];
  let open: OpenList[] = [];
  for (const [place, block] of blocks.entries()) {
    const item = itemOf(block, blocks[place + 1], open);
    if (item) {
      const root = addItem(open, item);
      if (root) written.push({ kind: 'list', list: root });
      continue;
    }
    if (continuesItem(open, block)) open.at(-1)?.list.items.at(-1)?.blocks.push(block);
    else {
      open = [];
      written.push(block);
    }
  }
  return written;
}

/** @returns undefined for a paragraph that is no item */
function itemOf(
  block: OfficeBlock,
  next: OfficeBlock | undefined,
  open: readonly OpenList[],
): WrittenItem | undefined {
  const label = labelOf(block);
  if (!label) return undefined;
  const { indent = 0, firstLine = 0 } = block.source?.layout ?? {};
  // A number with a tab can also be that of a heading, so it needs a hanging indent or a neighbour.
  const follows = open.some((list) => list.next > 0 && list.next === Number.parseInt(label, 10));
  const isFollowed =
    next !== undefined && Number.parseInt(labelOf(next) ?? '', 10) === Number.parseInt(label, 10) + 1;
  if (!BULLET.test(label) && firstLine >= 0 && !follows && !isFollowed) return undefined;
  return { label, indent, content: withoutLabel(block.content ?? []) };
}

/** The label with which a paragraph begins. */
function labelOf({ kind, source }: OfficeBlock): string | undefined {
  if (kind !== 'paragraph' || !source) return undefined;
  const text = source.runs.map(({ text, hidden }) => (hidden ? '' : text)).join('');
  const [, label, gap] = LABEL.exec(text) ?? [];
  const isHanging = (source.layout?.firstLine ?? 0) < 0;
  return label !== undefined && (gap === '\t' || (isHanging && !/^[-–—*]$/.test(label))) ? label : undefined;
}

/** Content behind its first word, which is the label. */
function withoutLabel(content: readonly Inline[]): Inline[] {
  const rest = content.map((inline) => ({ ...inline }));
  let isLabelSeen = false;
  while (rest.length > 0) {
    const first = rest[0] as Inline;
    if (first.kind !== 'text') break;
    const text = (first.text ?? '').trimStart();
    const behind = isLabelSeen ? text : text.replace(/^\S+/, '').trimStart();
    isLabelSeen ||= text !== '';
    first.text = behind;
    if (behind !== '') break;
    rest.shift();
  }
  return rest;
}

/** @returns the list, if it is a new one that is in no other */
function addItem(open: OpenList[], { label, indent, content }: WrittenItem): List | undefined {
  while (open.length > 0 && (open.at(-1)?.indent ?? 0) > indent + TOLERANCE) open.pop();
  const number = /^\d+[.)]$/.test(label) ? Number.parseInt(label, 10) : 0;
  const isBullet = BULLET.test(label);
  const last = open.at(-1);
  const isLevel = last !== undefined && indent <= last.indent + TOLERANCE;
  const block: OfficeBlock = { kind: 'paragraph', content };
  const item = { blocks: [block], ...(!isBullet && number === 0 && { markerLabel: label }) };
  if (last && isLevel && last.next === number && (last.list.marker === 'bullet') === isBullet) {
    last.list.items.push(item);
    if (number > 0) last.next++;
    return undefined;
  }
  if (last && isLevel) open.pop();
  const marker = isBullet ? 'bullet' : number > 0 ? 'decimal' : 'lowerAlpha';
  const list: List = { marker, start: number || 1, items: [item] };
  const parent = open.length < MAX_DEPTH ? open.at(-1)?.list.items.at(-1) : undefined;
  open.push({ list, indent, next: number > 0 ? number + 1 : 0 });
  if (!parent) return list;
  parent.blocks.push({ kind: 'list', list });
  return undefined;
}

/** Whether a paragraph without a label belongs to the last item: it begins where the text of that begins. */
function continuesItem(open: OpenList[], { kind, source }: OfficeBlock): boolean {
  const { indent = 0, firstLine = 0 }: NonNullable<WrittenParagraph['layout']> = source?.layout ?? {
    indent: 0,
    firstLine: 0,
  };
  if (kind !== 'paragraph' || indent === 0 || firstLine < 0) return false;
  const place = open.findLastIndex((list) => Math.abs(list.indent - indent) < TOLERANCE);
  if (place === -1) return false;
  open.length = place + 1;
  return true;
}
