import { escapeHtml } from '../../html/parse/escape-html.ts';
import { type DocumentImage, imageUrl } from '../document.ts';
import { EMPHASES, type Emphasis, emphasisRuns } from './emphasis.ts';
import type { Inline, Style } from './model.ts';

const SCRIPTS = { super: 'sup', sub: 'sub' };
const ELEMENTS: Record<Emphasis, string> = { bold: 'strong', italic: 'em', strike: 'del' };

/** Writes inline content, and numbers the notes in the order of their first reference. */
export class InlineHtmlWriter {
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

  /** @param inHeading whether the text is that of a heading, which is bold without an element */
  write(content: readonly Inline[], inHeading = false): string {
    const emphases = inHeading ? EMPHASES.filter((emphasis) => emphasis !== 'bold') : EMPHASES;
    return this.#runs(mergeText(this.#apart(content)), emphases);
  }

  /**
   * Writes spaces between the alternative texts of pictures and the words around them: they are no part of
   * these.
   */
  #apart(content: readonly Inline[]): readonly Inline[] {
    if (!content.some((inline) => this.#isAlternative(inline, 0))) return content;
    return content.flatMap((inline, place) => {
      const next = content[place + 1];
      const isBetween =
        next && (this.#isAlternative(inline, -1) || this.#isAlternative(next, 0)) && needsSpace(inline, next);
      return isBetween ? [inline, { kind: 'text' as const, text: ' ' }] : [inline];
    });
  }

  /** Whether an inline begins (0) or ends (-1) with the alternative text of a picture. */
  #isAlternative({ kind, alt, content, source }: Inline, end: 0 | -1): boolean {
    if (kind === 'link') {
      const inner = content?.at(end);
      return inner !== undefined && this.#isAlternative(inner, end);
    }
    return kind === 'image' && Boolean(alt) && !this.#isWritten(source);
  }

  #isWritten(source: Inline['source']): boolean {
    return Boolean(source?.kind === 'asset' ? this.#images?.has(String(source.assetId)) : this.#images);
  }

  /** @param emphases the styles for which no element is open yet */
  #runs(content: readonly Inline[], emphases: readonly Emphasis[]): string {
    let html = '';
    for (const { emphasis, content: run } of emphasisRuns(content, emphases)) {
      if (emphasis) {
        const inner = this.#runs(
          run,
          emphases.filter((other) => other !== emphasis),
        );
        html += surround(inner, ELEMENTS[emphasis]);
      } else for (const inline of run) html += this.#inline(inline, emphases);
    }
    return html;
  }

  #inline(
    { kind, text = '', style, content = [], target, alt = '', source, anchor = '', noteId = '' }: Inline,
    emphases: readonly Emphasis[],
  ): string {
    switch (kind) {
      case 'text':
        return styled(text, style);
      case 'link': {
        const inner = this.#runs(mergeText(content), emphases);
        const href = target?.kind === 'anchor' ? `#${this.fragment(target.value)}` : target?.value;
        return href && isSafe(href) ? surround(inner, 'a', ` href="${escapeHtml(href)}"`) : inner;
      }
      case 'image': {
        const id = String(source?.assetId);
        const src = source?.kind === 'asset' ? imageUrl(id) : (source?.url ?? '');
        if (!this.#isWritten(source) || !src || !isSafe(src)) return escapeHtml(alt);
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

const visibleOf = ({ text = '', alt = '', content = [] }: Inline): string =>
  text + alt + content.map(visibleOf).join('');

function needsSpace(before: Inline, after: Inline): boolean {
  if (before.kind === 'lineBreak' || after.kind === 'lineBreak') return false;
  return /[^\s(]$/.test(visibleOf(before)) && /^[^\s.,;:!?)]/.test(visibleOf(after));
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

/** Writes text in the elements of the styles that belong to single texts. */
function styled(text: string, style: Style | undefined): string {
  let html = escapeHtml(text);
  if (style?.code) html = surround(html, 'code');
  if (style?.position) html = surround(html, SCRIPTS[style.position]);
  return html;
}

/** White space stays outside the element, because markdown cannot begin or end emphasis and links with it. */
function surround(html: string, element: string, attributes = ''): string {
  const [, before = '', core = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(html) ?? [];
  return core === '' ? html : `${before}<${element}${attributes}>${core}</${element}>${after}`;
}
