import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CODED_NOTICES,
  NOTICE_WORDS,
  possibleNotices,
} from '../../../src/fetch/browser/cookie-notice-signs.ts';
import { createSelectorCheck } from '../../../src/fetch/browser/dom/element-names.ts';

/**
 * The signs of cookie notices must agree with the library that rejects the notices, also after an update of
 * it.
 */

const require = createRequire(import.meta.url);
const library = path.resolve(path.dirname(require.resolve('@duckduckgo/autoconsent')), '..');
const source = (file: string) => readFileSync(path.join(library, 'lib', file), 'utf8');

const NOTHING = {
  tags: ['html', 'body', 'p'],
  ids: [] as string[],
  classes: [] as string[],
  attributes: ['lang'],
};

it('every text by which the library recognises a notice without a rule has one of the words of notices', () => {
  const patterns = patternsOfUnknownNotices();
  expect(patterns.length).toBeGreaterThan(100);
  expect(patterns.filter((pattern) => !requiresWord(pattern))).toEqual([]);
});

describe('the notices with code of their own', () => {
  it('are those of the library', () => {
    const others = ['all.ts', 'base.ts', 'cookiebot.ts', 'sourcepoint-frame.ts'];
    const files = readdirSync(path.join(library, 'lib/cmps')).filter((name) => !others.includes(name));
    expect(Object.keys(CODED_NOTICES)).toEqual(files.map((name) => name.replace('.ts', '')).sort());
  });

  it('are recognised by elements that their code looks for', () => {
    for (const [name, selectors] of Object.entries(CODED_NOTICES)) {
      for (const selector of selectors.split(', ')) expect(source(`cmps/${name}.ts`)).toContain(selector);
    }
  });
});

describe('a page', () => {
  const rules = {
    v: 1,
    s: ['#known .close', 'xpath///*[@id="modal"]/div', '.other'],
    r: [
      [1, 'by two steps', 2, '', 22, [], [{ e: 0 }, { v: 2 }], [], [], [], {}],
      [
        1,
        'by any',
        2,
        '',
        22,
        [],
        [{ any: [{ e: 1 }, { exists: ['.shadow-host', '.inner'] }] }],
        [],
        [],
        [],
        {},
      ],
      [1, 'by its absence', 2, '', 22, [], [{ e: 2, negated: true }], [], [], [], {}],
    ] as Parameters<typeof possibleNotices>[0]['r'],
  };
  const signs = { url: 'http://site.example/', overlayHasWord: false, hasGlobal: false };
  const withoutNegation = { ...rules, r: rules.r.slice(0, 2) };
  const find = (names: Partial<typeof NOTHING>, change: Partial<typeof signs> = {}, own = withoutNegation) =>
    possibleNotices(own, { ...signs, ...change }, createSelectorCheck({ ...NOTHING, ...names }))?.rules.r.map(
      ([, name]) => name,
    );

  it('without any sign shows no notice', () => {
    expect(find({})).toBeUndefined();
    expect(find({ ids: ['known'], classes: ['close'], attributes: ['id', 'class'] })).toBeUndefined();
  });

  it('shows notices whose elements may all be there, whatever the case of their names', () => {
    const attributes = ['id', 'class'];
    expect(find({ ids: ['KNOWN'], classes: ['Close', 'other'], attributes })).toEqual(['by two steps']);
    expect(find({ ids: ['modal'], attributes })).toEqual(['by any']);
    expect(find({ classes: ['shadow-host'], attributes })).toEqual(['by any']);
  });

  it('may show a notice that is recognised by what is not there', () => {
    expect(find({}, {}, rules)).toEqual(['by its absence']);
  });

  it('may show a notice without a rule by its text, its functions, its code or its URL', () => {
    expect(find({}, { overlayHasWord: true })).toEqual([]);
    expect(find({}, { hasGlobal: true })).toEqual([]);
    expect(find({ ids: ['onetrust-banner-sdk'], attributes: ['id'] })).toEqual([]);
    for (const url of [
      'https://cdn.example/index.html?message_id=1&consentUUID=2',
      'https://cdn.example/privacy-manager/index.html?message_id=1',
      'https://ccpa-notice.sp-prod.net/?message_id=1',
      'https://ccpa-pm.sp-prod.net/',
    ])
      expect(find({}, { url })).toEqual([]);
  });
});

describe('a selector', () => {
  it.each([
    ['#a', true],
    ['#b', false],
    ['p.one > a', false],
    ['p.one + *', true],
    ['p:not(.two)', true],
    ['p:has(> .two, > .one)', true],
    ['p:has(> .two)', false],
    ['[id^="a"], x-y', true],
    ['[class*="wo"]', false],
    ['[class$="ne"]', true],
    ['[class="one three"]', true],
    ['[data-x="y"]', false],
    ['[lang="fr"]', true],
    ['p[', true],
  ])('%s may match: %s', (selector, expected) => {
    const names = { tags: ['p'], ids: ['a'], classes: ['one'], attributes: ['id', 'class', 'lang'] };
    expect(createSelectorCheck(names)(selector)).toBe(expected);
  });

  it.each(['[class]', '[class=""]', '[id]', '[id=""]'])(
    '%s may match where the attribute is empty',
    (selector) => {
      const names = { ...NOTHING, attributes: ['id', 'class'] };
      expect(createSelectorCheck(names)(selector)).toBe(true);
    },
  );
});

/** The patterns of texts by which the library recognises a notice that it has no rule for. */
function patternsOfUnknownNotices(): string[] {
  const [, list = ''] = /DETECT_PATTERNS = \[\n([\s\S]*?)\n\];/.exec(source('heuristic-patterns.ts')) ?? [];
  return [...list.matchAll(/^ *\/(.+)\/gi,/gm)].map(([, pattern]) => pattern!);
}

/**
 * Whether every text that matches a pattern has one of the words of notices. Parts that may be missing do not
 * count.
 */
function requiresWord(pattern: string): boolean {
  const alternatives = splitAlternatives(pattern);
  if (alternatives.length > 1) return alternatives.every(requiresWord);
  const choices: string[][] = [];
  let rest = pattern.replace(/\[[^\]]*\][?*+]?|\\[bs][*+]?|\.(?:\{\d+,\d+\}|[*+])/g, '_');
  // The innermost groups first.
  for (let found = INNERMOST_GROUP.exec(rest); found; found = INNERMOST_GROUP.exec(rest)) {
    const [group, content = '', quantifier] = found;
    if (!quantifier && content.includes('|')) choices.push(content.split('|'));
    rest = rest.replace(group, quantifier || content.includes('|') ? '_' : content);
  }
  return hasWord(rest) || choices.some((choice) => choice.every(hasWord));
}

const INNERMOST_GROUP = /\((?:\?:)?([^()]*)\)([?*]?)/;

const hasWord = (text: string) => {
  const certain = text.replace(/.[?*]/gu, '_');
  return NOTICE_WORDS.some((word) => certain.includes(word));
};

/** Splits a pattern at the bars outside of groups. */
function splitAlternatives(pattern: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of pattern) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}
