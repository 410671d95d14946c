import { type PptRecord, readRecords, TYPES } from './records.ts';

/** A link on a part of a text. */
export interface TextLink {
  /** Place of the first character. */
  begin: number;
  /** Place behind the last character. */
  end: number;
  href: string;
}

/** The instances of the texts that belong to a link (MS-PPT 2.10.16). */
const TARGET = 1;
const LOCATION = 3;
/** The instance of actions on a click; 1 is that of actions when the pointer is above the text. */
const CLICK = 0;
/** The action that opens a link (MS-PPT 2.13.15). Others show a slide, run a program or play a sound. */
const OPEN_LINK = 4;

/** Reads the links of texts from the records of a presentation. */
export class LinkReader {
  readonly #targets: ReadonlyMap<number, string>;
  #opened: number | undefined;

  /** @param stream all records of the presentation, whose links are in a list of their own */
  constructor(stream: Buffer) {
    this.#targets = readLinkTargets(stream);
  }

  /**
   * Takes the next record of the stream.
   * @returns the link of the text before it, if the record completes one
   */
  read({ type, instance, content }: PptRecord): TextLink | undefined {
    // The record of an action (InteractiveInfoAtom, MS-PPT 2.6.3) precedes that of the part of the text to
    // which it belongs.
    if (type === TYPES.interaction)
      this.#opened = content.length >= 9 && content[8] === OPEN_LINK ? content.readUInt32LE(4) : undefined;
    if (type !== TYPES.interactiveText || instance !== CLICK || content.length < 8) return undefined;
    const href = this.#opened === undefined ? undefined : this.#targets.get(this.#opened);
    this.#opened = undefined;
    return href === undefined
      ? undefined
      : { begin: content.readUInt32LE(0), end: content.readUInt32LE(4), href };
  }
}

/**
 * Reads where the links of a presentation lead, by their identifiers. Links to its own slides are left out.
 */
function readLinkTargets(stream: Buffer): Map<number, string> {
  const targets = new Map<number, string>();
  let identifier: number | undefined;
  for (const { type, instance, content } of readRecords(stream)) {
    if (type === TYPES.link) identifier = undefined;
    else if (type === TYPES.linkIdentifier && content.length >= 4) identifier = content.readUInt32LE(0);
    else if (type === TYPES.string && identifier !== undefined) {
      const text = content.toString('utf16le');
      const known = targets.get(identifier);
      if (instance === TARGET && text) targets.set(identifier, text);
      else if (instance === LOCATION && text && known !== undefined)
        targets.set(identifier, `${known}#${text}`);
    } else identifier = undefined;
  }
  return targets;
}
