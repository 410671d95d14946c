import { isIPv6 } from 'node:net';

const IPV4 = /(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.]*\d)(?!-\w)/y;
const VERSION_BEFORE =
  /(?:\bv(?:er\.?|ersion\p{L}*)?|versi\p{L}+|release|build|chrome|firefox|safari|edge?|firmware|driver|update|§|section|abschnitt|kapitel|chapter)[\s:/]*$/iu;
const ADDRESS_BEFORE =
  /(?:\bip\b|\bipv4|adress|address|server|host|dns|gateway|client|remote|from|login)[^\d\n]{0,16}$/i;
const IPV6_CHARACTERS = /[\da-f:]{2,39}/iy;
const CONTEXT = 24;

/**
 * Finds the IPv4 address that begins at a position. Four single digits are a version rather than an address,
 * unless a word before them says otherwise.
 * @returns the position after it, or 0
 */
export function endOfIpv4(text: string, start: number): number {
  IPV4.lastIndex = start;
  const found = IPV4.exec(text)?.[0];
  if (found === undefined) return 0;
  const before = text.slice(Math.max(0, start - CONTEXT), start);
  if (/[\w.]$/.test(before) || VERSION_BEFORE.test(before)) return 0;
  if (/^(?:0|255)\./.test(found) || found === '127.0.0.1') return 0;
  return found.length > 7 || ADDRESS_BEFORE.test(before) ? start + found.length : 0;
}

/**
 * Finds the IPv6 address that a digit is in.
 * @param from where it may begin at the earliest
 */
export function findIpv6(text: string, at: number, from: number): { start: number; end: number } | undefined {
  const window = text.slice(Math.max(from, at - 39), at);
  const start = at - (/[\da-f:]*$/i.exec(window)?.[0].length ?? 0);
  IPV6_CHARACTERS.lastIndex = start;
  const found = IPV6_CHARACTERS.exec(text)?.[0].replace(/(?<!:):$/, '') ?? '';
  if (found.length < 6 || !isIPv6(found) || /\w/.test(text.charAt(start - 1))) return undefined;
  return { start, end: start + found.length };
}
