import { type Paint, parsePaint } from './paint.ts';

/** Roles that custom properties name colours for. */
export type NamedColorRole = 'primary' | 'secondary' | 'accent' | 'success' | 'warning' | 'error';

/**
 * Patterns for property names without leading dashes: a prefix, the role, and at most the middle of a scale.
 * `--primary-foreground`, `--btn-primary-hover` and the like name colours of something else.
 */
const LEAD = '^(?:[a-z]{1,12}-){0,3}?';
const TAIL = '(?:-?(?:color|colour|base|main|default|500|600|9))?$';
const ROLE_PATTERNS: [NamedColorRole, RegExp][] = [
  ['primary', new RegExp(`${LEAD}primary(?:-brand)?${TAIL}`)],
  ['primary', new RegExp(`${LEAD}brand(?:-primary)?${TAIL}`)],
  ['secondary', new RegExp(`${LEAD}(?:brand-)?secondary${TAIL}`)],
  ['accent', new RegExp(`${LEAD}(?:brand-)?accent${TAIL}`)],
  ['success', new RegExp(`${LEAD}success${TAIL}`)],
  ['warning', new RegExp(`${LEAD}warning${TAIL}`)],
  ['error', new RegExp(`${LEAD}(?:error|danger|destructive)${TAIL}`)],
];
/** Words in a name that make it a colour of something else. */
const EXCLUDED_WORDS =
  /(^|-)(text|foreground|fg|on|border|hover|active|focus|ring|bg|background|surface|shadow|rgb|hsl|subtle|emphasis|contrast|sidebar|font|btn|button|link)(-|$)/;

/** Most colours kept for one role; the scales of design systems have dozens. */
const MAX_COLORS_PER_ROLE = 5;

/** Finds the colours that custom properties name, by role, those with the shortest names first. */
export function findNamedColors(variables: readonly [string, string][]): Map<NamedColorRole, Paint[]> {
  const found = new Map<NamedColorRole, { name: string; paint: Paint }[]>();
  for (const [property, value] of variables) {
    const name = property
      .replace(/([a-z])([A-Z])/g, '$1-$2')
      .replace(/[_-]+/g, '-')
      .toLowerCase();
    const role = EXCLUDED_WORDS.test(name)
      ? undefined
      : ROLE_PATTERNS.find(([, pattern]) => pattern.test(name))?.[0];
    const paint = role && parsePaint(wrapHsl(value));
    if (paint) found.set(role, [...(found.get(role) ?? []), { name, paint }]);
  }
  return new Map(
    [...found].map(([role, colors]) => [
      role,
      colors
        .sort((a, b) => a.name.length - b.name.length)
        .slice(0, MAX_COLORS_PER_ROLE)
        .map(({ paint }) => paint),
    ]),
  );
}

/** Wraps a value that holds only the three numbers of `hsl()`, as some design systems write it. */
const wrapHsl = (value: string) =>
  /^[\d.]+(deg)?\s+[\d.]+%\s+[\d.]+%$/.test(value) ? `hsl(${value})` : value;
