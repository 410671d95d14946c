import { escapeHtml } from '../../../html/parse/escape-html.ts';
import { codeText } from '../page/code.ts';
import { withoutMarker } from '../page/lists.ts';
import type { Block, PdfListItem, TableBlock, TableCell } from '../types.ts';
import { brokenWords } from './broken-words.ts';
import { InlineHtml } from './inline-html.ts';

/**
 * Writes blocks as HTML. Running heads, footers and page numbers have the attribute `data-page-role`, by
 * which they can be removed later, and those whose text stands nowhere else `data-only-place`. Images have
 * URLs of the form `document-image:<id>`.
 */
export function blocksToHtml(blocks: readonly Block[]): string {
  const inline = new InlineHtml(blocks);
  const parts: string[] = [];
  for (let place = 0; place < blocks.length; ) {
    const block = blocks[place] as Block;
    if (block.kind === 'item' || block.kind === 'footnote') {
      let end = place;
      while (blocks[end]?.kind === block.kind) end++;
      const group = blocks.slice(place, end);
      parts.push(block.kind === 'item' ? listHtml(group as PdfListItem[], inline) : inline.footnotes(group));
      place = end;
    } else {
      parts.push(blockHtml(block, inline));
      place++;
    }
  }
  return parts.filter(Boolean).join('\n');
}

function blockHtml(block: Block, inline: InlineHtml): string {
  const attributes = block.role
    ? ` data-page-role="${block.role}"${block.isOnlyPlace ? ' data-only-place' : ''}`
    : '';
  switch (block.kind) {
    case 'heading':
      return `<h${block.level ?? 2}${attributes}>${inline.heading(block.lines, block.page)}</h${block.level ?? 2}>`;
    case 'paragraph': {
      const direction = block.rightToLeft ? ' dir="rtl"' : '';
      return `<p${attributes}${direction}>${inline.lines(block.lines, block.page)}</p>`;
    }
    case 'caption':
      return `<p class="caption">${inline.lines(block.lines, block.page)}</p>`;
    case 'code':
      return `<pre><code>${escapeHtml(codeText(block.lines))}</code></pre>`;
    case 'table':
      return tableHtml(block, inline);
    case 'figure': {
      const { id, alt = '' } = block.figure;
      return `<img src="document-image:${escapeHtml(id)}" alt="${escapeHtml(alt)}">`;
    }
    case 'annotation': {
      const { text, author } = block.annotation;
      return `<aside data-annotation>${escapeHtml(author ? `${author}: ${text}` : text)}</aside>`;
    }
    default:
      return '';
  }
}

function tableHtml(table: TableBlock, inline: InlineHtml): string {
  const broken = brokenWords(table);
  const cellHtml = (cell: TableCell, name: string) => {
    const spans = `${cell.columnSpan > 1 ? ` colspan="${cell.columnSpan}"` : ''}${cell.rowSpan > 1 ? ` rowspan="${cell.rowSpan}"` : ''}`;
    return `<${name}${spans}>${inline.cell(cell.lines, broken, table.page)}</${name}>`;
  };
  const html = table.rows.map((row, place) => {
    const name = place === 0 ? 'th' : 'td';
    return `<tr>${row.map((cell) => cellHtml(cell, name)).join('')}</tr>`;
  });
  return `<table${table.rightToLeft ? ' dir="rtl"' : ''}>\n${html.join('\n')}\n</table>`;
}

/** Writes consecutive items as a list, with nested lists inside their items. */
function listHtml(items: readonly PdfListItem[], inline: InlineHtml): string {
  const html: string[] = [];
  const open: { depth: number; name: string }[] = [];
  const closeOne = () => html.push(`</li></${(open.pop() as { name: string }).name}>`);
  for (const item of items) {
    const name = item.ordered ? 'ol' : 'ul';
    while (open.length > 0 && (open.at(-1) as { depth: number }).depth > item.depth) closeOne();
    const last = open.at(-1);
    if (last && last.depth === item.depth && last.name !== name) closeOne();
    if (open.at(-1)?.depth === item.depth) html.push('</li>');
    else {
      const number = Number.parseInt(item.marker.replace('(', ''), 10);
      html.push(item.ordered && number > 1 ? `<ol start="${number}">` : `<${name}>`);
      open.push({ depth: item.depth, name });
    }
    html.push(`<li>${inline.lines(withoutMarker(item), item.page)}`);
  }
  while (open.length > 0) closeOne();
  return html.join('');
}
