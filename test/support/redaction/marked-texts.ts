import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Entity, Span } from '../../../src/content/redaction/redaction.ts';
import { type Random, seeded } from '../../site/random.ts';
import { makeNumber } from './numbers.ts';

/** A line of text whose personal data is known. */
export interface MarkedLine {
  language: string;
  text: string;
  marks: Span[];
}

/** The rules may be changed by what they find in `tuned` texts, and are only measured by the others. */
export type Part = 'tuned' | 'held out';

const FOLDER = path.join(import.meta.dirname, 'texts');
const KINDS: Record<string, Entity> = {
  E: 'EMAIL',
  P: 'PHONE',
  L: 'LOCATION',
  F: 'FINANCIAL',
  S: 'SECRET',
};
const SEED = 42;
/** How often each line is used; after the first time with other numbers and names. */
const TIMES = 2;
const LOCAL_PARTS = [
  'sales',
  'm.keller',
  'ana-lucia',
  'team_7',
  'no.reply',
  'office2024',
  'l.van.dam',
  'hello',
];

/** Reads the lines in ten languages with marks such as `[[E|info@example.com]]`. */
export function readMarkedTexts(part: Part): MarkedLine[] {
  const random = seeded(SEED);
  return readdirSync(FOLDER).flatMap((file) => {
    const [, tuned = '', heldOut = ''] = readFileSync(path.join(FOLDER, file), 'utf8').split(/^# .*\n/m);
    const lines = (part === 'tuned' ? tuned : heldOut).split('\n').filter(Boolean);
    const language = path.basename(file, '.txt');
    return Array.from({ length: TIMES }, (_, round) =>
      lines.map((line) => ({ language, ...readLine(line, random, round > 0) })),
    ).flat();
  });
}

function readLine(line: string, random: Random, isVaried: boolean): Pick<MarkedLine, 'text' | 'marks'> {
  const marks: Span[] = [];
  let text = '';
  let from = 0;
  for (const { 0: all, 1: kind, 2: written, index } of line.matchAll(/\[\[([EPLFS])\|(.+?)\]\](?!\])/g)) {
    text += line.slice(from, index);
    const value = written!.replace(/\{(.+?)\}/g, (_, placeholder: string) => makeNumber(placeholder, random));
    const own = isVaried ? vary(kind!, value, random) : value;
    marks.push({ start: text.length, end: text.length + own.length, entity: KINDS[kind!]! });
    text += own;
    from = index + all.length;
  }
  return { text: text + line.slice(from), marks };
}

/** Returns another value in the same form. */
function vary(kind: string, value: string, random: Random): string {
  if (kind === 'E') return value.replace(/^[\p{L}\w.+-]+(?=@)/u, random.pick(LOCAL_PARTS));
  if (kind === 'P') return value.replace(/\d(?=\D*$)/, () => String(random.whole(10)));
  if (kind === 'L' && /^[^\d]{4}/.test(value))
    return value.replace(/\d+/, () => String(1 + random.whole(180)));
  return value;
}
