import { escapeHtml } from '../../html/parse/escape-html.ts';
import { type DocumentImage, imageUrl } from '../document.ts';
import type { Inline, Style } from './model.ts';

const SCRIPT = { super: 'sup', sub: 'sub' };

/** Writes inline content, and numbers the notes in the order of their first reference. */
export class InlineWriter {
  readonly #noteNumbers = new Map<string, number>();
  readonly #fragments: ReadonlyMap<string, string>;

  readonly #images: ReadonlySet<string> | undefined;

  /**
   * @param fragments new names of anchors
   * @param images the images to write; without it, alternative texts take the places of all images
   */
  constructor(fragments: ReadonlyMap<string, string>, images: readonly DocumentImage[] | undefined) {
    this.#fragments = fragments;
    this.#images = images && new Set(images.map(({ id }) => id));
  }

  /** The name of an anchor in the HTML. */
  fragment(anchor: string): string {
    return this.#fragments.get(anchor) ?? anchor;
  }

  /** Identifiers of the notes that have been referred to, in that order. */
  get referredNotes(): string[] {
    return [...this.#noteNumbers.keys()];
  }

  write(content: readonly Inline[], inHeading = false): string {
    let html = '';
    for (const inline of mergeText(content)) html += this.#inline(inline, inHeading);
    return html;
  }

  #inline(
    { kind, text = '', style, content = [], target, alt = '', source, anchor = '', noteId = '' }: Inline,
    inHeading: boolean,
  ): string {
    switch (kind) {
      case 'text':
        return styled(text, style, inHeading);
      case 'link': {
        const inner = this.write(content, inHeading);
        const href = target?.kind === 'anchor' ? `#${this.fragment(target.value)}` : target?.value;
        return href && isSafe(href) ? `<a href="${escapeHtml(href)}">${inner}</a>` : inner;
      }
      case 'image': {
        const id = String(source?.assetId);
        const src = source?.kind === 'asset' ? imageUrl(id) : (source?.url ?? '');
        const isKnown = source?.kind === 'asset' ? this.#images?.has(id) : this.#images;
        if (!isKnown || !src || !isSafe(src)) return escapeHtml(alt);
        return `<img src="${escapeHtml(src)}" alt="${escapeHtml(alt)}">`;
      }
      case 'anchor':
        return this.#fragments.has(anchor) ? '' : `<a id="${escapeHtml(anchor)}"></a>`;
      case 'noteRef':
        return this.#noteReference(noteId);
      case 'lineBreak':
        return '<br>';
    }
  }

  #noteReference(id: string): string {
    const known = this.#noteNumbers.get(id);
    const number = known ?? this.#noteNumbers.size + 1;
    this.#noteNumbers.set(id, number);
    const anchor = known === undefined ? ` id="note-ref-${number}"` : '';
    return `<sup><a${anchor} href="#note-${number}">${number}</a></sup>`;
  }
}

/** Whether a URL cannot run code in a browser. */
function isSafe(url: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore these characters in a scheme
  return !/^(?:javascript|vbscript):/i.test(url.replace(/[\u0000-\u0020]/g, ''));
}

/** Joins neighbouring texts of the same style, which formats split by language or revision. */
function mergeText(content: readonly Inline[]): Inline[] {
  const merged: Inline[] = [];
  for (const inline of content) {
    const last = merged.at(-1);
    if (inline.kind === 'text' && last?.kind === 'text' && canMerge(last, inline))
      merged[merged.length - 1] = { ...last, text: `${last.text ?? ''}${inline.text ?? ''}` };
    else merged.push(inline);
  }
  return merged;
}

function canMerge(a: Inline, b: Inline): boolean {
  const [first, second] = [a.style, b.style];
  return (
    first?.bold === second?.bold &&
    first?.italic === second?.italic &&
    first?.strike === second?.strike &&
    first?.code === second?.code &&
    first?.position === second?.position
  );
}

/** White space stays outside the elements, because markdown cannot begin or end emphasis with it. */
function styled(text: string, style: Style | undefined, inHeading: boolean): string {
  const [, before = '', core = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  if (core === '') return escapeHtml(text);
  let html = escapeHtml(core);
  if (style?.code) html = `<code>${html}</code>`;
  if (style?.position) html = `<${SCRIPT[style.position]}>${html}</${SCRIPT[style.position]}>`;
  if (style?.strike) html = `<del>${html}</del>`;
  if (style?.italic) html = `<em>${html}</em>`;
  if (style?.bold && !inHeading) html = `<strong>${html}</strong>`;
  return `${before}${html}${after}`;
}
