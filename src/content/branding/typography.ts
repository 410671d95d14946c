import type { StyledText, TextRole } from './branding-data.ts';
import { omitUndefined } from './omit-undefined.ts';

/** The page's typography. Values that no text of the page has are left out. */
export interface Typography {
  fontFamilies: { primary?: string; heading?: string; code?: string };
  fontStacks: { body?: string[]; heading?: string[]; code?: string[] };
  fontSizes: { h1?: string; h2?: string; h3?: string; body?: string; small?: string };
  lineHeights: { heading?: string; body?: string };
  fontWeights: { light?: number; regular?: number; medium?: number; bold?: number };
}

/** A font family and its most frequent use. */
export interface Font {
  family: string;
  role: 'body' | 'heading' | 'monospace';
}

/** The default font of browsers, used where the page declares none. */
const DEFAULT_SERIF = /^["']?(times new roman|times)["']?$/i;
const SYSTEM_FAMILY = /^(system-ui|ui-sans-serif|-apple-system|blinkmacsystemfont)$/i;
const FALLBACK_FAMILY = /[ _]fallback(?![a-z])/i;

/**
 * Reads the first family of a font stack, by its original name.
 * @returns `undefined` for the browser's default
 */
export function parsePrimaryFamily(stack: string): string | undefined {
  if (DEFAULT_SERIF.test(stack.trim())) return undefined;
  return parseFontStack(stack)[0];
}

/**
 * Reads all families of a font stack, without the fallback fonts and name suffixes that build tools generate.
 */
export function parseFontStack(stack: string): string[] {
  const families = (stack.match(/"[^"]*"|'[^']*'|[^,]+/g) ?? [])
    .map((family) => family.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .filter((family) => family && !FALLBACK_FAMILY.test(family))
    .map((family) => (SYSTEM_FAMILY.test(family) ? 'system-ui' : restoreFamilyName(family)));
  return [...new Set(families)];
}

/** Undoes the renaming by build tools, which write `__Open_Sans_a1b2c3` for Open Sans. */
function restoreFamilyName(family: string): string {
  const [, name] = /^__(.+?)_[0-9a-f]{5,8}$/i.exec(family) ?? [];
  return name?.replace(/_/g, ' ') ?? family;
}

/** Reads a whole stack. @returns `undefined` for the browser's default */
const parseCustomStack = (stack: string | undefined) =>
  stack && parsePrimaryFamily(stack) ? parseFontStack(stack) : undefined;

const isHeading = (role: TextRole) => /^h\d$/.test(role);

/** Derives the typography from all text styles, weighted by number of characters. */
export function analyzeTypography(texts: readonly StyledText[]): { fonts: Font[]; typography: Typography } {
  const filterTexts = (matches: (text: StyledText) => boolean) => texts.filter(matches);
  const inRole = (...roles: TextRole[]) => filterTexts(({ role }) => roles.includes(role));
  const prose = firstNonEmpty(
    filterTexts(({ role, region }) => role === 'body' && region === 'content'),
    inRole('body'),
    inRole('link', 'small'),
  );
  const headings = firstNonEmpty(inRole('h1', 'h2', 'h3'), inRole('h4'));
  const code = inRole('code');
  const stacks = {
    body: mostCommonValue(prose, ({ family }) => family),
    heading: mostCommonValue(headings, ({ family }) => family),
    code: mostCommonValue(code, ({ family }) => family),
  };
  const sizeOf = (set: StyledText[]) => mostCommonValue(set, ({ size }) => size);
  const lineHeightOf = (set: StyledText[]) => mostCommonValue(set, ({ lineHeight }) => lineHeight);
  const [body, heading, mono] = [stacks.body, stacks.heading, stacks.code].map(
    (each) => each && parsePrimaryFamily(each),
  );
  return {
    fonts: rankFonts(texts),
    typography: {
      fontFamilies: omitUndefined({ primary: body, heading, code: mono }),
      fontStacks: omitUndefined({
        body: parseCustomStack(stacks.body),
        heading: parseCustomStack(stacks.heading),
        code: parseCustomStack(stacks.code),
      }),
      fontSizes: omitUndefined({
        h1: sizeOf(inRole('h1')),
        h2: sizeOf(inRole('h2')),
        h3: sizeOf(inRole('h3')),
        body: sizeOf(prose),
        small: sizeOf(inRole('small')),
      }),
      lineHeights: omitUndefined({ heading: lineHeightOf(headings), body: lineHeightOf(prose) }),
      fontWeights: analyzeWeights(texts, prose),
    },
  };
}

function analyzeWeights(texts: readonly StyledText[], prose: StyledText[]): Typography['fontWeights'] {
  const within = (min: number, most: number) => {
    const set = texts.filter(({ weight }) => Number(weight) >= min && Number(weight) <= most);
    const weight = mostCommonValue(set, (text) => text.weight);
    return weight === undefined ? undefined : Number(weight);
  };
  const mostCommon = mostCommonValue(prose, ({ weight }) => weight);
  return omitUndefined({
    light: within(1, 300),
    regular: mostCommon === undefined ? within(301, 449) : Number(mostCommon),
    medium: within(450, 550),
    bold: within(600, 1_000),
  });
}

/** Lists the font families of the page, the most used first. */
function rankFonts(texts: readonly StyledText[]): Font[] {
  const usage = new Map<string, Record<Font['role'], number>>();
  for (const { family: stack, role, characters } of texts) {
    const family = role === 'button' ? undefined : parsePrimaryFamily(stack);
    if (!family) continue;
    const use = usage.get(family) ?? { body: 0, heading: 0, monospace: 0 };
    // Headings are short, so their characters count three times.
    if (isHeading(role)) use.heading += characters * 3;
    else use[role === 'code' ? 'monospace' : 'body'] += characters;
    usage.set(family, use);
  }
  const total = (use: Record<Font['role'], number>) => use.body + use.heading + use.monospace;
  return [...usage]
    .sort(([, one], [, other]) => total(other) - total(one))
    .slice(0, MAX_FONTS)
    .map(([family, use]) => ({
      family,
      role: (['body', 'heading', 'monospace'] as const).reduce((most, each) =>
        use[each] > use[most] ? each : most,
      ),
    }));
}

const MAX_FONTS = 8;

/** Finds the value that most characters have. */
function mostCommonValue<Value>(
  texts: readonly StyledText[],
  select: (text: StyledText) => Value,
): Value | undefined {
  const counts = new Map<Value, number>();
  for (const text of texts) counts.set(select(text), (counts.get(select(text)) ?? 0) + text.characters);
  let best: [Value, number] | undefined;
  for (const entry of counts) if (!best || entry[1] > best[1]) best = entry;
  return best?.[0];
}

const firstNonEmpty = (...sets: StyledText[][]): StyledText[] => sets.find(({ length }) => length) ?? [];
