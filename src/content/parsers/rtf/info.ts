import type { DocumentMetadata } from '../document.ts';

const PROPERTIES: Record<string, keyof DocumentMetadata> = {
  title: 'title',
  author: 'author',
  subject: 'subject',
  keywords: 'keywords',
  creatim: 'publishedTime',
  revtim: 'modifiedTime',
};
const MAX_LENGTH = 2000;

/** Collects the metadata of an RTF file: the group `\info`, whose groups are named after their properties. */
export class InfoReader {
  readonly #texts: Partial<Record<keyof DocumentMetadata, string>> = {};
  /** The parts of the date of each property: `\yr`, `\mo`, `\dy`, `\hr`, `\min` and `\sec`. */
  readonly #dates = new Map<keyof DocumentMetadata, Map<string, number>>();
  #property: keyof DocumentMetadata | undefined;

  /** A control word within the group: one that names a property, or a part of its date. */
  word(name: string, parameter: number | undefined): void {
    if (Object.hasOwn(PROPERTIES, name)) this.#property = PROPERTIES[name];
    else if (parameter === undefined || !this.#property?.endsWith('Time')) return;
    else this.#dates.set(this.#property, (this.#dates.get(this.#property) ?? new Map()).set(name, parameter));
  }

  /** A group of a property has ended. */
  close(): void {
    this.#property = undefined;
  }

  /**
   * Text within the group. Of a date it has no meaning, and of another property it is cut after
   * {@link MAX_LENGTH} characters.
   */
  text(text: string): void {
    if (!this.#property || this.#property.endsWith('Time')) return;
    this.#texts[this.#property] = `${this.#texts[this.#property] ?? ''}${text}`.slice(0, MAX_LENGTH);
  }

  /** The metadata. Dates have no time zone in RTF and are taken as UTC. */
  get metadata(): DocumentMetadata {
    const metadata: DocumentMetadata = {};
    // The keys are those that were set above.
    for (const [property, text] of Object.entries(this.#texts) as [keyof DocumentMetadata, string][])
      if (text.trim()) metadata[property] = text.trim();
    for (const [property, parts] of this.#dates) {
      const part = (name: string, missing: number) => parts.get(name) ?? missing;
      const [day, hour] = [part('dy', 1), part('hr', 0)];
      const time = Date.UTC(part('yr', 0), part('mo', 1) - 1, day, hour, part('min', 0), part('sec', 0));
      // Programs write the year 0 for a date that they do not know.
      if (parts.get('yr') && !Number.isNaN(new Date(time).getTime()))
        metadata[property] = new Date(time).toISOString();
    }
    return metadata;
  }
}
