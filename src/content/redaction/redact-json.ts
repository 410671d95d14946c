import type { EntityFinder } from './find-entities.ts';
import { applyEdits, type Edit } from './plain-text.ts';
import { redactUrl } from './redact-url.ts';
import { covers, type Entity, type Redaction, replacementOf, replaceSpans, type Span } from './redaction.ts';

/** Properties whose values are personal data as a whole, by the names of schema.org and others. */
const PROPERTIES: Record<string, Entity> = {
  streetaddress: 'LOCATION',
  givenname: 'PERSON',
  familyname: 'PERSON',
  firstname: 'PERSON',
  lastname: 'PERSON',
};
const MAX_VALUE = 200;
const URL_SCHEME = /^(?:https?|mailto|tel|sms|callto|whatsapp):/i;

/**
 * Replaces personal data in the strings of a JSON document, which stays valid. Numbers stay as they are.
 * @param source need not be valid
 */
export function redactJson(source: string, finder: EntityFinder, redaction: Redaction): string {
  const edits: Edit[] = [];
  let key = '';
  for (let at = source.indexOf('"'); at >= 0; ) {
    const end = endOfString(source, at);
    const literal = source.slice(at, end);
    if (isFollowedByColon(source, end)) key = literal.slice(1, -1);
    else {
      const value = decode(literal);
      const text = redactValue(value, key, finder, redaction);
      if (text !== value) edits.push({ start: at, end, text: JSON.stringify(text) });
    }
    at = source.indexOf('"', end);
  }
  return applyEdits(source, edits);
}

/** Replaces personal data in the strings of plain data. */
export function redactData(value: unknown, finder: EntityFinder, redaction: Redaction): unknown {
  const source = JSON.stringify(value);
  return source === undefined ? value : JSON.parse(redactJson(source, finder, redaction));
}

function redactValue(value: string, key: string, finder: EntityFinder, redaction: Redaction): string {
  const entity = PROPERTIES[key.toLowerCase()];
  const replace = (kind: Entity, length: number) => replacementOf(kind, length, redaction.replaceStyle);
  if (entity && covers(redaction, entity) && value.length > 0 && value.length <= MAX_VALUE)
    return replace(entity, value.length);
  if (URL_SCHEME.test(value) && !/\s/.test(value)) return redactUrl(value, redaction);
  // The name of the property says what its value is, as a word before a number does in a text.
  const label = `${key.slice(0, MAX_VALUE)}: `;
  const spans = finder
    .find(label + value)
    .map((span): Span => ({ ...span, start: span.start - label.length, end: span.end - label.length }))
    .filter(({ end }) => end > 0)
    .map((span): Span => ({ ...span, start: Math.max(0, span.start) }));
  return replaceSpans(value, spans, replace);
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Returns the position after a string that begins with a quotation mark. */
function endOfString(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return source.length;
}

function isFollowedByColon(source: string, from: number): boolean {
  let at = from;
  while (/^[ \t\r\n]$/.test(source.charAt(at))) at++;
  return source.charAt(at) === ':';
}

/** The value of a string of JSON; of one that is not valid, its characters. */
function decode(literal: string): string {
  const inner = literal.slice(1, literal.endsWith('"') && literal.length > 1 ? -1 : undefined);
  if (!inner.includes('\\')) return inner;
  return inner.replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_, hex: string | undefined, character: string) =>
    hex === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
