import { isJsonObject } from '../../json/json-object.ts';
import type { RouteResponse } from './route-call.ts';

/** A part of a result. */
export interface ValuePart {
  part: RouteResponse;
  /** Where the part ends, and where the whole ends, in bytes from the beginning. */
  end: number;
  total: number;
}

/** Members of an object up to so many bytes stand before larger ones, so that the first part says what it is of. */
const SMALL_BYTES = 1_000;

/**
 * Cuts a part out of a JSON object. It has the same structure, with those members, entries and pieces of texts that
 * are in the part; all parts together have everything.
 * @param from where it begins, in bytes of the object's text, as the part before said
 * @param size the most bytes of the part
 */
export function partOf(value: RouteResponse, from: number, size: number): ValuePart {
  const window = { from, to: from + size, position: 0 };
  const part = cut(value, window);
  return {
    part: isJsonObject(part) ? part : {},
    end: Math.min(window.to, window.position),
    total: window.position,
  };
}

interface Window {
  from: number;
  to: number;
  position: number;
}

/** Says that nothing of a value is in the part. */
const NOTHING = Symbol('nothing');

function cut(value: unknown, window: Window): unknown {
  if (typeof value === 'string') return cutText(value, window);
  if (Array.isArray(value) && value.length > 0) {
    const entries = value.map((entry) => cut(entry, window)).filter((entry) => entry !== NOTHING);
    return entries.length > 0 ? entries : NOTHING;
  }
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    const members = sortBySize(value).flatMap(([name, member]) => {
      const start = window.position;
      window.position += name.length + 4;
      const kept = cut(member, window);
      // The name is there wherever something of its value is.
      return kept === NOTHING || start >= window.to ? [] : [[name, kept]];
    });
    return members.length > 0 ? Object.fromEntries(members) : NOTHING;
  }
  return cutWhole(value, JSON.stringify(value).length + 1, window);
}

/** A value that is in one part as a whole: the one in which it begins. */
function cutWhole(value: unknown, bytes: number, window: Window): unknown {
  const start = window.position;
  window.position += bytes;
  return start >= window.from && start < window.to ? value : NOTHING;
}

function cutText(text: string, window: Window): unknown {
  const bytes = Buffer.from(text);
  if (bytes.length <= SMALL_BYTES) return cutWhole(text, bytes.length + 3, window);
  const start = window.position;
  window.position += bytes.length;
  const from = characterStart(bytes, window.from - start);
  const to = characterStart(bytes, window.to - start);
  return from < to ? bytes.toString('utf8', from, to) : NOTHING;
}

/** The beginning of the character that a byte belongs to (RFC 3629, 3), within the text. */
function characterStart(bytes: Buffer, index: number): number {
  let start = Math.max(0, Math.min(index, bytes.length));
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}

function sortBySize(value: RouteResponse): [string, unknown][] {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const isSmall = ([, member]: [string, unknown]) => sizeOf(member) <= SMALL_BYTES;
  return [...members.filter(isSmall), ...members.filter((member) => !isSmall(member))];
}

/** The bytes of a value as JSON, counted only as far as it matters whether they are few. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 8;
  let size = 0;
  for (const [name, member] of Object.entries(value)) {
    size += name.length + sizeOf(member);
    if (size > SMALL_BYTES) return size;
  }
  return size;
}
