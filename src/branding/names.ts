import { type Paint, paintOf } from './palette.ts';

/** What a page names its colours for. */
export type NamedRole = 'primary' | 'secondary' | 'accent' | 'success' | 'warning' | 'error';

/**
 * Names, without the dashes before them: a word for what it is, and nothing behind it but the middle of a scale.
 * `--primary-foreground`, `--btn-primary-hover` and the like are of other things.
 */
const LEAD = '^(?:[a-z]{1,12}-){0,3}?';
const TAIL = '(?:-?(?:color|colour|base|main|default|500|600|9))?$';
const NAMES: [NamedRole, RegExp][] = [
  ['primary', new RegExp(`${LEAD}primary(?:-brand)?${TAIL}`)],
  ['primary', new RegExp(`${LEAD}brand(?:-primary)?${TAIL}`)],
  ['secondary', new RegExp(`${LEAD}(?:brand-)?secondary${TAIL}`)],
  ['accent', new RegExp(`${LEAD}(?:brand-)?accent${TAIL}`)],
  ['success', new RegExp(`${LEAD}success${TAIL}`)],
  ['warning', new RegExp(`${LEAD}warning${TAIL}`)],
  ['error', new RegExp(`${LEAD}(?:error|danger|destructive)${TAIL}`)],
];
/** Parts of names that make it a colour of something else. */
const OTHER =
  /(^|-)(text|foreground|fg|on|border|hover|active|focus|ring|bg|background|surface|shadow|rgb|hsl|subtle|emphasis|contrast|sidebar|font|btn|button|link)(-|$)/;

/** Of one role; the scales of design systems have dozens. */
const MOST_NAMES = 5;

/** The colours that custom properties name, by role: the plainest names first. */
export function namedColors(variables: readonly [string, string][]): Map<NamedRole, Paint[]> {
  const found = new Map<NamedRole, { name: string; paint: Paint }[]>();
  for (const [written, value] of variables) {
    const name = written
      .replace(/([a-z])([A-Z])/g, '$1-$2')
      .replace(/[_-]+/g, '-')
      .toLowerCase();
    const role = OTHER.test(name) ? undefined : NAMES.find(([, pattern]) => pattern.test(name))?.[0];
    const paint = role && paintOf(colorOf(value));
    if (paint) found.set(role, [...(found.get(role) ?? []), { name, paint }]);
  }
  return new Map(
    [...found].map(([role, each]) => [
      role,
      each
        .sort((a, b) => a.name.length - b.name.length)
        .slice(0, MOST_NAMES)
        .map(({ paint }) => paint),
    ]),
  );
}

/** Some keep the numbers alone, to be put into `hsl()`. */
const colorOf = (value: string) =>
  /^[\d.]+(deg)?\s+[\d.]+%\s+[\d.]+%$/.test(value) ? `hsl(${value})` : value;
