import serialize from 'dom-serializer';
import { Text } from 'domhandler';
import { append, appendChild, findAll, textContent } from 'domutils';
import { compareVersions, packVersion } from '../../src/content/changes/compare.ts';
import { parseHtml } from '../../src/content/html/parse/parse.ts';
import { isSignificant } from '../../src/jobs/monitors/significant-change.ts';
import type { ChangeDetection } from '../../src/schemas/monitor-targets.ts';
import { table } from '../figures.ts';
import { type KitPage, markdownOf, readHtml, readPages } from '../quality/kit.ts';
import { samplePages } from '../quality/perturb.ts';

/** What is planted at a place of a page, before and after. */
type Planted = readonly [before: string, after: string];

const related = (order: readonly number[]) =>
  `<section class="related-posts"><h3>You may also like</h3><ul>${order.map((n) => `<li><a href="/story-${n}">Story number ${n} of another day</a></li>`).join('')}</ul></section>`;
const banner = (text: string) =>
  `<div class="ad-banner advertisement"><a href="https://ads.example/${text.length}" rel="sponsored">${text}</a></div>`;

/** Noise, by its kind. Each is at a place of its own between the paragraphs of the main content. */
const NOISE: Record<string, Planted> = {
  counter: ['<p>1,204 views</p>', '<p>1,311 views</p>'],
  'relative time': ['<p>Updated 3 minutes ago</p>', '<p>Updated 27 minutes ago</p>'],
  date: ['<p>Today is Nov 28, 2026</p>', '<p>Today is Nov 29, 2026</p>'],
  advertisement: [
    banner('Buy one lamp, get one free'),
    banner('The shoes that doctors do not want you to know'),
  ],
  recommendations: [related([1, 2, 3, 4, 5]), related([4, 1, 5, 3, 2])],
  tokens: ['4f1c22aa90b34d1e8c77aa0123456789', '0b9e51d7c2aa4e0f9d3312fedcba9876'],
};
const CHANGES: Record<string, Planted> = {
  price: ['<p>The price is 49.99 euros.</p>', '<p>The price is 44.99 euros.</p>'],
  sentence: ['', ' The offer ends sooner than we said.'],
  item: ['', '<p>New in the shop: a lamp of brass.</p>'],
};
const DETECTION: Record<string, ChangeDetection> = {
  'by default': { ignore: [], ignorePatterns: [], minChangedWords: 1, failureThreshold: 2 },
  'ignoring dates and order': {
    ignore: ['dates', 'order'],
    ignorePatterns: [],
    minChangedWords: 1,
    failureThreshold: 2,
  },
};

const slotOf = (name: string) => `@@${name}@@`;
/** Characters of a paragraph that counts as main content. */
const LEAST_PARAGRAPH = 100;

/** A page with places for what is planted; `undefined` if its main content has too few paragraphs. */
function templateOf(page: KitPage, html: string): string | undefined {
  const squeeze = (text: string) => text.replace(/[^\p{L}\d]+/gu, '');
  const content = squeeze(markdownOf(page.url, html));
  const tree = parseHtml(html);
  const paragraphs = findAll(({ name }) => name === 'p', tree.children).filter((each) => {
    const text = squeeze(textContent(each));
    return text.length >= LEAST_PARAGRAPH && content.includes(text);
  });
  const between = [...Object.keys(NOISE).filter((name) => name !== 'tokens'), 'price', 'item'];
  if (paragraphs.length < 4) return undefined;
  for (const [index, name] of between.entries())
    append(paragraphs[index % (paragraphs.length - 1)]!, new Text(slotOf(name)));
  appendChild(paragraphs[1]!, new Text(slotOf('sentence')));
  for (const link of findAll(({ name }) => name === 'a', tree.children)) {
    const { href } = link.attribs;
    if (href && !/[#?]/.test(href) && !/^(?!https?:)[a-z]+:/i.test(href))
      link.attribs.href = `${href}?session_token=${slotOf('tokens')}`;
  }
  return serialize(tree);
}

/** Makes a version of a page. @param moved what has changed in it */
function versionOf(page: KitPage, template: string, moved: readonly string[]): string {
  const all = Object.entries({ ...NOISE, ...CHANGES });
  const html = all.reduce(
    (text, [name, [before, after]]) => text.replaceAll(slotOf(name), moved.includes(name) ? after : before),
    template,
  );
  return markdownOf(page.url, html);
}

/** Whether a monitor takes one version for a change of the other. */
function isChange(before: string, after: string, detection: ChangeDetection): boolean {
  const task = { before: packVersion({ markdown: before }), after: { markdown: after } };
  const { isSame, diff } = compareVersions({ ...task, modes: ['git-diff'] });
  return !isSame && (!diff || isSignificant(diff, detection));
}

const noises = Object.keys(NOISE);
/** Everything that is planted, with what has to be said of it. */
const TRIALS = [
  ...noises.map((name) => ({ name, moved: [name], isFound: false })),
  { name: 'all noise', moved: noises, isFound: false },
  ...Object.keys(CHANGES).map((name) => ({
    name: `${name} in all noise`,
    moved: [...noises, name],
    isFound: true,
  })),
];
/** Which pages are measured. */
export interface ChangesOptions {
  /** Directory of the quality kit. */
  kit: string;
  pages: number;
  /** Chooses the pages. */
  seed: number;
}

/** Plants changes and noise in real pages, and prints which of them a monitor finds. */
export async function measureChanges({ kit, pages: most, seed }: ChangesOptions): Promise<void> {
  const wrong = new Map<string, string[]>();
  let measured = 0;
  for (const page of samplePages(await readPages(kit, 'wcxb'), seed, Number.POSITIVE_INFINITY)) {
    if (measured === most) break;
    const template = templateOf(page, await readHtml(page));
    if (template === undefined) continue;
    measured++;
    const before = versionOf(page, template, []);
    for (const { name, moved, isFound } of TRIALS) {
      const after = versionOf(page, template, moved);
      for (const [how, detection] of Object.entries(DETECTION)) {
        if (isChange(before, after, detection) === isFound) continue;
        const key = `${name} ${how}`;
        wrong.set(key, [...(wrong.get(key) ?? []), page.id]);
      }
    }
  }
  const rowOf = ({ name, isFound }: (typeof TRIALS)[number]) => ({
    planted: name,
    wanted: isFound ? 'found' : 'no alarm',
    ...Object.fromEntries(
      Object.keys(DETECTION).map((how) => {
        const misses = wrong.get(`${name} ${how}`)?.length ?? 0;
        return [`right ${how}, %`, ((100 * (measured - misses)) / measured).toFixed(1)];
      }),
    ),
  });
  console.log(`${measured} pages`);
  console.log(table(TRIALS.map(rowOf)));
  for (const [key, ids] of wrong) console.log(`wrong: ${key}: ${ids.slice(0, 12).join(' ')}`);
}
