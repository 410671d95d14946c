import { decodeHTML } from 'entities/lib/decode.js';
import type { EntityFinder } from './find-entities.ts';
import { applyEdits, type Edit, PlainText } from './plain-text.ts';
import { redactJson } from './redact-json.ts';
import { redactUrl } from './redact-url.ts';
import { type Entity, type Redaction, replacementOf, replaceSpans } from './redaction.ts';

/** Elements within a line, whose text belongs to that around them. */
const INLINE = new Set(
  'a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong tt u var wbr'.split(
    ' ',
  ),
);
/** Attributes that readers see, or that tell about the page. */
const TEXT_ATTRIBUTES = new Set(
  'title alt content placeholder value aria-label aria-description label summary data-title data-content data-text data-caption'.split(
    ' ',
  ),
);
const TAG_NAME = /\/?([a-zA-Z][^\s/>]*)/y;
const ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\s"'=<>`]+))/g;
const URL_SCHEME = /^\s*(?:https?:|mailto:|tel:|sms:|callto:|fax:|whatsapp:|facetime|\/|#|\?|\.)/i;
const JSON_TYPE = /\btype\s*=\s*["']?[\w./+-]*json/i;
const MAYBE_PERSONAL = /\d|@|%40|&#|&commat|\b(?:at|ät)\b/i;
const END_OF_SCRIPT = /<\/script/gi;
const END_OF_STYLE = /<\/style/gi;
/** The end of a tag, or the beginning of a quoted value, which is after an equals sign. */
const END_OF_TAG = />|=\s{0,20}["']/g;

/**
 * Replaces personal data in the source of a page, which keeps its structure: in text, also where markup is
 * within it, in attributes that readers see or that are URLs, in comments, in scripts and in their data.
 */
export function redactHtml(source: string, finder: EntityFinder, redaction: Redaction): string {
  return new HtmlRedactor(source, finder, redaction).run();
}

class HtmlRedactor {
  readonly #source: string;
  readonly #finder: EntityFinder;
  readonly #redaction: Redaction;
  readonly #text = new PlainText();
  readonly #edits: Edit[] = [];

  constructor(source: string, finder: EntityFinder, redaction: Redaction) {
    this.#source = source;
    this.#finder = finder;
    this.#redaction = redaction;
  }

  run(): string {
    const source = this.#source;
    for (let at = 0; at < source.length; ) {
      const open = source.indexOf('<', at);
      this.#text.add(source, at, open < 0 ? source.length : open);
      if (open < 0) break;
      at = this.#readMarkup(open);
    }
    const edits = this.#text.editsOf(this.#finder.find(this.#text.toString()), this.#inMarkup);
    return applyEdits(source, [...this.#edits, ...edits]);
  }

  readonly #replacement = (entity: Entity, length: number) =>
    replacementOf(entity, length, this.#redaction.replaceStyle);
  readonly #inMarkup = (entity: Entity, length: number) => escapeMarkup(this.#replacement(entity, length));

  /** Reads a tag, a comment or another markup. @returns the position after it */
  #readMarkup(open: number): number {
    const source = this.#source;
    if (source.startsWith('<!--', open)) return this.#readComment(open + 4);
    if (source.startsWith('<![CDATA[', open)) return open + 9;
    const next = source.charAt(open + 1);
    if (next === '!' || next === '?') return positionAfter(source, '>', open);
    TAG_NAME.lastIndex = open + 1;
    const found = TAG_NAME.exec(source);
    if (!found) {
      this.#text.add(source, open, open + 1);
      return open + 1;
    }
    return this.#readTag(open, found[1]!.toLowerCase(), TAG_NAME.lastIndex);
  }

  #readTag(open: number, name: string, afterName: number): number {
    const source = this.#source;
    const end = endOfTag(source, afterName);
    if (!INLINE.has(name)) this.#text.endLine(open);
    if (source.charAt(open + 1) === '/') return end;
    if (end - afterName > 4) this.#readAttributes(afterName, end);
    if (name !== 'script' && name !== 'style') return end;
    const close = name === 'script' ? END_OF_SCRIPT : END_OF_STYLE;
    close.lastIndex = end;
    const last = close.exec(source)?.index ?? source.length;
    if (name === 'script') this.#readScript(end, last, JSON_TYPE.test(source.slice(afterName, end)));
    return last;
  }

  #readComment(start: number): number {
    const end = this.#source.indexOf('-->', start);
    const last = end < 0 ? this.#source.length : end;
    const text = this.#source.slice(start, last);
    if (this.#redaction.names?.length || MAYBE_PERSONAL.test(text))
      this.#replace(start, text, replaceSpans(text, this.#finder.find(text), this.#replacement));
    return last;
  }

  #readScript(start: number, end: number, isJson: boolean): void {
    const text = this.#source.slice(start, end);
    const redacted = isJson
      ? redactJson(text, this.#finder, this.#redaction)
      : replaceSpans(text, this.#finder.find(text, 'code'), this.#replacement);
    this.#replace(start, text, redacted);
  }

  #readAttributes(start: number, end: number): void {
    const text = this.#source.slice(start, end);
    if (!MAYBE_PERSONAL.test(text) && !this.#redaction.names?.length) return;
    for (const found of text.matchAll(ATTRIBUTE)) {
      const value = found[2] ?? found[3] ?? found[4] ?? '';
      // The value is last in what was found, except for its quotation mark.
      const offset = found[0].lastIndexOf(value);
      this.#replace(
        start + found.index + offset,
        value,
        this.#redactAttribute(found[1]!.toLowerCase(), value),
      );
    }
  }

  #redactAttribute(name: string, encoded: string): string {
    if (encoded.length < 4) return encoded;
    const isText = TEXT_ATTRIBUTES.has(name);
    const isUrl = URL_SCHEME.test(encoded);
    const mayBePersonal = isText || isUrl || /@|%40|&#/.test(encoded);
    if (!mayBePersonal) return encoded;
    const value = encoded.includes('&') ? decodeHTML(encoded) : encoded;
    const redacted =
      isUrl && !/\s/.test(value.trim())
        ? redactUrl(value, this.#redaction)
        : replaceSpans(value, this.#finder.find(value, isText ? 'words' : 'code'), this.#replacement);
    return redacted === value ? encoded : escapeMarkup(redacted);
  }

  #replace(start: number, before: string, text: string): void {
    if (text !== before) this.#edits.push({ start, end: start + before.length, text });
  }
}

const escapeMarkup = (text: string) =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');

function positionAfter(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from);
  return at < 0 ? source.length : at + mark.length;
}

/** Returns the position after a tag, in whose quoted values `>` may be. */
function endOfTag(source: string, from: number): number {
  END_OF_TAG.lastIndex = from;
  while (END_OF_TAG.test(source)) {
    const at = END_OF_TAG.lastIndex;
    const mark = source.charAt(at - 1);
    if (mark === '>') return at;
    END_OF_TAG.lastIndex = positionAfter(source, mark, at);
  }
  return source.length;
}
