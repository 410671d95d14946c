import { escapeHtml } from '../../html/parse/escape-html.ts';
import type { DocumentImage } from '../document.ts';
import { headingFragments } from './heading-anchors.ts';
import { InlineHtmlWriter } from './inline-html.ts';
import { isLabel, liftHeadings } from './list-labels.ts';
import { nestOfficeLists } from './list-nesting.ts';
import type { List, ListItem, OfficeBlock, OfficeModel, Table } from './model.ts';

/** Blocks nested deeper than this are written as plain text, so that no file can overflow the stack. */
const MAX_DEPTH = 60;

const LIST_TYPES = { lowerAlpha: 'a', upperAlpha: 'A', lowerRoman: 'i', upperRoman: 'I' } as const;

/**
 * Writes a document as HTML.
 * @param images the images that the document refers to. Alternative texts take the places of others; those on
 * the web are
 *   left out as well if there is no list
 */
export function officeToHtml(model: OfficeModel, images?: readonly DocumentImage[]): string {
  const { notes } = model;
  const blocks = nestOfficeLists(liftHeadings(model.blocks));
  const writer = new BlockWriter(new InlineHtmlWriter(headingFragments(blocks), images));
  const body = writer.blocks(blocks, 0);
  const bodies = new Map(notes.map((note) => [note.id, note.blocks]));
  return [body, writer.notes(bodies)].filter(Boolean).join('\n');
}

/**
 * Whether the label of an item says more than the list does: neither a bullet nor the number of the item.
 * Letters and Roman numerals do, because markdown has none, and texts such as contracts refer to them.
 */
function isPrinted(label: string, marker: List['marker'], number: number): boolean {
  const printed = label.replace(/[^\p{L}\p{N}]/gu, '');
  return printed !== '' && (marker !== 'decimal' || printed !== String(number));
}

/** The table that is all that a table of one cell contains, which is only the frame around it. */
function framedTable(grid: Table['grid']): OfficeBlock | undefined {
  const [row = [], ...otherRows] = grid;
  const [first, ...otherBlocks] = row[0]?.cell?.blocks ?? [];
  const isAlone = otherRows.length === 0 && row.length === 1 && otherBlocks.length === 0;
  return isAlone && first?.kind === 'table' ? first : undefined;
}

const holdsTable = (grid: Table['grid']) =>
  grid.some((row) => row.some(({ cell }) => cell?.blocks.some(({ kind }) => kind === 'table')));

class BlockWriter {
  readonly #inline: InlineHtmlWriter;

  constructor(inline: InlineHtmlWriter) {
    this.#inline = inline;
  }

  blocks(blocks: readonly OfficeBlock[], depth: number): string {
    return blocks
      .map((block) => this.#block(block, depth))
      .filter(Boolean)
      .join('\n');
  }

  /** Writes the notes that the text refers to. A note can refer to further notes. */
  notes(bodies: ReadonlyMap<string, readonly OfficeBlock[]>): string {
    const items: string[] = [];
    for (let place = 0; place < this.#inline.referredNotes.length; place++) {
      const body = bodies.get(this.#inline.referredNotes[place] as string) ?? [];
      const html = this.#tight(body, 0);
      items.push(`<li id="note-${place + 1}">${html} <a href="#note-ref-${place + 1}">↩</a></li>`);
    }
    return items.length === 0 ? '' : `<ol>${items.join('\n')}</ol>`;
  }

  #block(block: OfficeBlock, depth: number): string {
    const { kind, level = 2, anchor, content = [], list, table, blocks = [], lang, text = '' } = block;
    if (depth > MAX_DEPTH) return `<p>${this.#inline.write(content)}</p>`;
    switch (kind) {
      case 'heading': {
        const html = this.#inline.write(content, true);
        const name = anchor ?? content.find(({ kind }) => kind === 'anchor')?.anchor;
        const id = name ? ` id="${escapeHtml(this.#inline.fragment(name))}"` : '';
        return html.trim() && `<h${level}${id}>${html}</h${level}>`;
      }
      case 'paragraph': {
        const html = this.#inline.write(content);
        return html.trim() && `<p>${html}</p>`;
      }
      case 'list':
        return list ? this.#list(list, depth) : '';
      case 'table':
        return table ? this.#table(table, depth) : '';
      case 'blockQuote':
        return `<blockquote>${this.blocks(blocks, depth + 1)}</blockquote>`;
      case 'codeBlock': {
        const language = lang ? ` class="language-${escapeHtml(lang)}"` : '';
        return `<pre><code${language}>${escapeHtml(text)}</code></pre>`;
      }
      case 'rule':
        return '<hr>';
    }
  }

  #list({ marker, start, items }: List, depth: number): string {
    const isLabeled = items.some(
      ({ markerLabel }, place) => markerLabel && isPrinted(markerLabel, marker, start + place),
    );
    const html = items.map((item) => this.#item(item, isLabeled, depth)).join('\n');
    // The labels, such as `1.1` and `(a)`, take the place of the numbers that HTML and markdown would write.
    if (marker === 'bullet' || isLabeled) return `<ul>${html}</ul>`;
    const type = marker === 'decimal' ? '' : ` type="${LIST_TYPES[marker]}"`;
    return `<ol${type}${start === 1 ? '' : ` start="${start}"`}>${html}</ol>`;
  }

  #item({ blocks, checked, markerLabel = '' }: ListItem, isLabeled: boolean, depth: number): string {
    const box = checked === undefined ? '' : `<input type="checkbox"${checked ? ' checked' : ''} disabled> `;
    const label = isLabeled && isLabel(markerLabel) ? `${escapeHtml(markerLabel)} ` : '';
    return `<li>${box}${label}${this.#tight(blocks, depth + 1)}</li>`;
  }

  /** Writes the first paragraph without `p`, so that lists are tight and cells have one line. */
  #tight(blocks: readonly OfficeBlock[], depth: number): string {
    const [first, ...rest] = blocks;
    const isTight = first?.kind === 'paragraph' && rest.every(({ kind }) => kind !== 'paragraph');
    if (!isTight) return this.blocks(blocks, depth);
    return `${this.#inline.write(first.content ?? [])}${this.blocks(rest, depth)}`;
  }

  /**
   * Writes the table around a text box, or one of a single row or column that positions content, as its
   * content.
   */
  #table({ grid, headerRows, kind }: Table, depth: number): string {
    if (kind === 'layout' && (grid.length === 1 || grid.every(({ length }) => length < 2)))
      return grid
        .flatMap((row) => row.map(({ cell }) => this.blocks(cell?.blocks ?? [], depth + 1)))
        .filter(Boolean)
        .join('\n');
    const framed = framedTable(grid);
    if (framed) return this.#block(framed, depth + 1);
    // Without the role, a table around tables is taken for layout, as on pages. Markdown writes it as HTML,
    // which, unlike its own tables, needs no header.
    const isHtml = kind === 'data' && holdsTable(grid);
    const rows = grid.map((row, place) => {
      const name = place < Math.max(isHtml ? 0 : 1, headerRows) ? 'th' : 'td';
      const cells = row.map(({ cell }) => {
        if (!cell) return '';
        const columns = cell.colSpan > 1 ? ` colspan="${cell.colSpan}"` : '';
        const span = cell.rowSpan > 1 ? ` rowspan="${cell.rowSpan}"` : '';
        return `<${name}${columns}${span}>${this.#tight(cell.blocks, depth + 1)}</${name}>`;
      });
      return `<tr>${cells.join('')}</tr>`;
    });
    return `<table${isHtml ? ' role="table"' : ''}>\n${rows.join('\n')}\n</table>`;
  }
}
