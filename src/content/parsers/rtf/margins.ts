import { oneLine } from '../../html/text.ts';
import { marginHtml, type PageMargins } from '../office/source/page-margins.ts';

export type Margin = 'header' | 'footer';

/** The groups of headers and footers: of all, left, right and first pages. */
const MARGIN = /^(header|footer)[lrf]?$/;
/** The most texts that are kept; further ones are those of later sections. */
const MAX_TEXTS = 100;

/** The kind of margin that a group is; undefined for another group. */
export const marginOf = (name: string): Margin | undefined => MARGIN.exec(name)?.[1] as Margin | undefined;

/** Collects the paragraphs of headers and footers, each text once. */
export class MarginReader {
  readonly #texts = { header: new Set<string>(), footer: new Set<string>() };
  #text = '';

  text(text: string): void {
    this.#text += text;
  }

  endParagraph(kind: Margin): void {
    const line = oneLine(this.#text);
    this.#text = '';
    const texts = this.#texts[kind];
    if (line && texts.size < MAX_TEXTS) texts.add(line);
  }

  get html(): PageMargins {
    const { header, footer } = this.#texts;
    return { headers: marginHtml('header', header), footers: marginHtml('footer', footer) };
  }
}
