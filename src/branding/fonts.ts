import { present } from './present.ts';
import type { Text, TextRole } from './survey.ts';

/** How the page sets its text; what it does not show is left out. */
export interface Typography {
  fontFamilies: { primary?: string; heading?: string; code?: string };
  fontStacks: { body?: string[]; heading?: string[]; code?: string[] };
  fontSizes: { h1?: string; h2?: string; h3?: string; body?: string; small?: string };
  lineHeights: { heading?: string; body?: string };
  fontWeights: { light?: number; regular?: number; medium?: number; bold?: number };
}

/** A family, and what it is used for most. */
export interface Font {
  family: string;
  role: 'body' | 'heading' | 'monospace';
}

/** What browsers take where the page says nothing. */
const BROWSERS_OWN = /^["']?(times new roman|times)["']?$/i;
const SYSTEM = /^(system-ui|ui-sans-serif|-apple-system|blinkmacsystemfont)$/i;
const FALLBACK = /[ _]fallback(?![a-z])/i;

/** The family that a stack begins with, as its designer calls it; `undefined` where it is the browser's own. */
export function familyOf(stack: string): string | undefined {
  if (BROWSERS_OWN.test(stack.trim())) return undefined;
  return stackOf(stack)[0];
}

/** All families of a stack, without the stand-ins that builds put in and without their suffixes. */
export function stackOf(stack: string): string[] {
  const families = (stack.match(/"[^"]*"|'[^']*'|[^,]+/g) ?? [])
    .map((family) => family.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .filter((family) => family && !FALLBACK.test(family))
    .map((family) => (SYSTEM.test(family) ? 'system-ui' : asDesigned(family)));
  return [...new Set(families)];
}

/** Builds write `__Open_Sans_a1b2c3` for Open Sans. */
function asDesigned(family: string): string {
  const [, name] = /^__(.+?)_[0-9a-f]{5,8}$/i.exec(family) ?? [];
  return name?.replace(/_/g, ' ') ?? family;
}

/** A whole stack; `undefined` where it is the browser's own. */
const familiesOf = (stack: string | undefined) => (stack && familyOf(stack) ? stackOf(stack) : undefined);

const isHeading = (role: TextRole) => /^h\d$/.test(role);

/** Judges how text is set, by how much of it there is. */
export function typographyOf(texts: readonly Text[]): { fonts: Font[]; typography: Typography } {
  const where = (isWanted: (text: Text) => boolean) => texts.filter(isWanted);
  const inRole = (...roles: TextRole[]) => where(({ role }) => roles.includes(role));
  const prose = firstFilled(
    where(({ role, region }) => role === 'body' && region === 'content'),
    inRole('body'),
    inRole('link', 'small'),
  );
  const headings = firstFilled(inRole('h1', 'h2', 'h3'), inRole('h4'));
  const code = inRole('code');
  const stacks = {
    body: mostly(prose, ({ family }) => family),
    heading: mostly(headings, ({ family }) => family),
    code: mostly(code, ({ family }) => family),
  };
  const sizeOf = (set: Text[]) => mostly(set, ({ size }) => size);
  const lineHeightOf = (set: Text[]) => mostly(set, ({ lineHeight }) => lineHeight);
  const [body, heading, mono] = [stacks.body, stacks.heading, stacks.code].map(
    (each) => each && familyOf(each),
  );
  return {
    fonts: fontsOf(texts),
    typography: {
      fontFamilies: present({ primary: body, heading, code: mono }),
      fontStacks: present({
        body: familiesOf(stacks.body),
        heading: familiesOf(stacks.heading),
        code: familiesOf(stacks.code),
      }),
      fontSizes: present({
        ...{ h1: sizeOf(inRole('h1')), h2: sizeOf(inRole('h2')), h3: sizeOf(inRole('h3')) },
        ...{ body: sizeOf(prose), small: sizeOf(inRole('small')) },
      }),
      lineHeights: present({ heading: lineHeightOf(headings), body: lineHeightOf(prose) }),
      fontWeights: weightsOf(texts, prose),
    },
  };
}

function weightsOf(texts: readonly Text[], prose: Text[]): Typography['fontWeights'] {
  const within = (least: number, most: number) => {
    const set = texts.filter(({ weight }) => Number(weight) >= least && Number(weight) <= most);
    const weight = mostly(set, (text) => text.weight);
    return weight === undefined ? undefined : Number(weight);
  };
  const usual = mostly(prose, ({ weight }) => weight);
  return present({
    light: within(1, 300),
    regular: usual === undefined ? within(301, 449) : Number(usual),
    medium: within(450, 550),
    bold: within(600, 1_000),
  });
}

/** The families of the page, the most used first. */
function fontsOf(texts: readonly Text[]): Font[] {
  const uses = new Map<string, Record<Font['role'], number>>();
  for (const { family: stack, role, characters } of texts) {
    const family = role === 'button' ? undefined : familyOf(stack);
    if (!family) continue;
    const use = uses.get(family) ?? { body: 0, heading: 0, monospace: 0 };
    // A heading is short, and counts for more.
    if (isHeading(role)) use.heading += characters * 3;
    else use[role === 'code' ? 'monospace' : 'body'] += characters;
    uses.set(family, use);
  }
  const total = (use: Record<Font['role'], number>) => use.body + use.heading + use.monospace;
  return [...uses]
    .sort(([, one], [, other]) => total(other) - total(one))
    .slice(0, MOST_FONTS)
    .map(([family, use]) => ({
      family,
      role: (['body', 'heading', 'monospace'] as const).reduce((most, each) =>
        use[each] > use[most] ? each : most,
      ),
    }));
}

const MOST_FONTS = 8;

/** What most characters have. */
function mostly<Value>(texts: readonly Text[], look: (text: Text) => Value): Value | undefined {
  const counts = new Map<Value, number>();
  for (const text of texts) counts.set(look(text), (counts.get(look(text)) ?? 0) + text.characters);
  let best: [Value, number] | undefined;
  for (const entry of counts) if (!best || entry[1] > best[1]) best = entry;
  return best?.[0];
}

const firstFilled = (...sets: Text[][]): Text[] => sets.find(({ length }) => length) ?? [];
