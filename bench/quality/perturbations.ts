import { type ChildNode, type Document, Element, isTag, isText, type ParentNode, Text } from 'domhandler';
import { findAll, textContent } from 'domutils';
import { createElement } from '../../src/content/html/nodes.ts';
import { setChildren } from '../../src/content/html/parse/parse.ts';
import { textOf } from '../../src/content/html/text.ts';
import type { Random } from '../../test/site/random.ts';
import { type PageText, readPageText } from './page-text.ts';
import { plainText, wordsOf } from './words.ts';

/** A page that a change is made to. */
interface ChangingPage {
  tree: Document;
  /** The markdown of the page without the change. */
  markdown: string;
  random: Random;
}

/** What a change does to the words that the markdown should have, and to the URL of the page. */
export interface Change {
  url?: string;
  removed?: string[];
  added?: string[];
}

/** Changes the tree of a page. @returns `undefined` if the page has nothing that it could change */
type Perturb = (page: ChangingPage) => Change | undefined;

/** Words of boilerplate that a page may use for an element of its text all the same. */
const BOILERPLATE_NAMES =
  'share comments cookie related sidebar promo newsletter banner footer navigation widget social'.split(' ');

/** Headings of boilerplate that a text may have all the same. */
const BOILERPLATE_HEADINGS = [
  "What's new",
  'Comments',
  'Related work',
  'Related projects',
  'Contents',
  'Contributors',
  'Documentation',
  'Events',
  'Cookies',
  'Tags',
];

/** Attributes that hold ids of elements. */
const REFERENCES = ['for', 'headers', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns'];

/** Elements whose children may be in a `div`. */
const CONTAINERS = new Set(['body', 'main', 'article', 'section', 'div', 'td']);

/** An element of running text has at least so many words, and at most this share of them in links. */
const PROSE = { words: 20, linkedShare: 0.3 };
/** The share of the words of an element that is in the markdown if the element is kept. */
const KEPT_SHARE = 0.9;

/**
 * Changes that leave the content of a page as a reader sees it, each by its name. The markdown should keep
 * its words.
 */
export const PERTURBATIONS: Record<string, Perturb> = {
  'another host and path': ({ random }) => ({
    url: `https://${newName(random)}.net/${newName(random)}/${newName(random)}`,
  }),
  'no generator': ({ tree }) => {
    const generators = elementsOf(tree, ({ name, attribs }) => name === 'meta' && isGenerator(attribs.name));
    for (const element of generators) replaceWith(element, []);
    return generators.length > 0 ? {} : undefined;
  },
  'other class names and ids': renameAll,
  'names of boilerplate on running text': misname,
  'a wrapper more': (page) => {
    const region = ancestorsOf(regionOf(page)).find(({ name }) => CONTAINERS.has(name));
    if (!region) return undefined;
    const wrapper = createElement('div', {}, undefined);
    setChildren(wrapper, region.children);
    setChildren(region, [wrapper]);
    return {};
  },
  'a wrapper less': (page) => {
    const wrappers = ancestorsOf(regionOf(page)).filter(({ name }) => name === 'div');
    const wrapper = pick(wrappers, page.random);
    if (!wrapper) return undefined;
    replaceWith(wrapper, wrapper.children);
    return {};
  },
  'main and article as div': ({ tree }) => {
    const landmarks = elementsOf(tree, ({ name }) => name === 'main' || name === 'article');
    for (const element of landmarks) element.name = 'div';
    return landmarks.length > 0 ? {} : undefined;
  },
  'a heading of boilerplate': (page) => {
    const kept = keptHeadings(page.markdown);
    const headings = elementsOf(page.tree, ({ name }) => name === 'h2' || name === 'h3');
    const heading = pick(
      headings.filter((element) => kept.has(keyOf(textContent(element)))),
      page.random,
    );
    return heading && setHeading(heading, page.random.pick(BOILERPLATE_HEADINGS));
  },
  'a title of boilerplate': ({ tree, markdown, random }) => {
    const [heading] = elementsOf(tree, ({ name }) => name === 'h1');
    if (!heading || !keptHeadings(markdown).has(keyOf(textContent(heading)))) return undefined;
    const title = random.pick(BOILERPLATE_HEADINGS);
    for (const element of elementsOf(tree, ({ name }) => name === 'title')) {
      setChildren(element, [new Text(title)]);
    }
    for (const { attribs } of elementsOf(tree, ({ name }) => name === 'meta')) {
      if (/:title$/.test(attribs.property ?? attribs.name ?? '')) attribs.content = title;
    }
    return setHeading(heading, title);
  },
  'text of double length': (page) => {
    const text = readText(page);
    const added: string[] = [];
    for (const element of text.elements) {
      const { words, keptShare } = text.of(element);
      if (element.name !== 'p' || words === 0 || keptShare < KEPT_SHARE) continue;
      // In another order, because a text that follows itself may be one for screen readers.
      const again = wordsOf(textOf(element)).toReversed();
      added.push(...again);
      setChildren(element, [...element.children, new Text(` ${again.join(' ')}.`)]);
    }
    return added.length > 0 ? { added } : undefined;
  },
};

const isGenerator = (name = '') => name.toLowerCase() === 'generator';

const readText = ({ tree, markdown }: ChangingPage): PageText =>
  readPageText(tree, wordsOf(plainText(markdown)));

const elementsOf = (tree: Document, test: (element: Element) => boolean): Element[] =>
  findAll(test, tree.children);

const pick = <One>(list: readonly One[], random: Random): One | undefined =>
  list.length > 0 ? random.pick(list) : undefined;

/** A name that is no word, because it has no vowels. */
function newName(random: Random): string {
  const letters = [...'bcdfgjkmqvwxz'];
  return `x${Array.from({ length: 7 }, () => random.pick(letters)).join('')}`;
}

/**
 * Gives each class name and id another one, also where links, style sheets and scripts of the page name it.
 */
function renameAll({ tree, random }: ChangingPage): Change | undefined {
  const names = new Map<string, string>();
  const rename = (name: string) => {
    if (!names.has(name)) names.set(name, newName(random));
    return names.get(name) ?? name;
  };
  const renameEach = (list: string) => list.split(/\s+/).filter(Boolean).map(rename).join(' ');
  const elements = elementsOf(tree, () => true);
  for (const { attribs } of elements) {
    for (const name of ['class', 'id']) if (attribs[name]) attribs[name] = renameEach(attribs[name]);
  }
  if (names.size === 0) return undefined;
  const renameKnown = (name: string) => names.get(name) ?? name;
  for (const element of elements) {
    const { attribs } = element;
    for (const name of REFERENCES) {
      if (attribs[name]) attribs[name] = attribs[name].split(/\s+/).map(renameKnown).join(' ');
    }
    if (attribs.href?.startsWith('#')) attribs.href = `#${renameKnown(attribs.href.slice(1))}`;
    const isScript = element.name === 'script' && !attribs.type?.includes('json');
    if (!isScript && element.name !== 'style') continue;
    // A style sheet writes names after a sign, and a script that moves elements as strings.
    const pattern = isScript ? /(["'])([^"'\s]+)(?=\1)/g : /([.#])(-?[_a-z][\w-]*)/gi;
    const code = textContent(element).replace(pattern, (_, sign, name) => sign + renameKnown(name));
    setChildren(element, [new Text(code)]);
  }
  return {};
}

/**
 * Gives about a third of the elements of running text a class name, and an id if they had one, of
 * boilerplate.
 */
function misname(page: ChangingPage): Change | undefined {
  const { random, tree } = page;
  const text = readText(page);
  const targets = new Set(elementsOf(tree, () => true).map(({ attribs }) => attribs.href));
  const prose = text.elements.filter((element) => {
    if (!['p', 'section', 'div'].includes(element.name)) return false;
    const { words, keptShare, linkedShare } = text.of(element);
    return words >= PROSE.words && keptShare >= KEPT_SHARE && linkedShare <= PROSE.linkedShare;
  });
  const chosen = new Set<Element>();
  for (const element of shuffled(prose, random)) {
    // Names on both an element and one inside it would be two signs.
    const isNested = [...chosen].some((one) => contains(one, element) || contains(element, one));
    if (!isNested) chosen.add(element);
    if (chosen.size * 3 >= prose.length) break;
  }
  for (const element of chosen) {
    const { id } = element.attribs;
    const name = random.pick(BOILERPLATE_NAMES);
    // Elements without attributes share one record. Another id would break the links to it.
    element.attribs = { ...element.attribs, class: name, ...(id && !targets.has(`#${id}`) && { id: name }) };
  }
  return chosen.size > 0 ? {} : undefined;
}

const shuffled = <One>(list: readonly One[], random: Random): One[] =>
  list
    .map((one) => ({ one, place: random.whole(2 ** 32) }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);

function contains(outer: Element, inner: Element): boolean {
  for (let node: ParentNode | null = inner.parent; node; node = node.parent) if (node === outer) return true;
  return false;
}

/** The innermost element that has nearly all of the kept text; `undefined` if nothing is kept. */
function regionOf(page: ChangingPage): Element | undefined {
  const text = readText(page);
  const keptOf = (element: Element) => text.of(element).words * text.of(element).keptShare;
  const most = Math.max(0, ...text.elements.map(keptOf));
  return most === 0 ? undefined : text.elements.findLast((element) => keptOf(element) >= KEPT_SHARE * most);
}

/** An element and those around it. */
function ancestorsOf(element: Element | undefined): Element[] {
  const list: Element[] = [];
  for (let node: ParentNode | null | undefined = element; node instanceof Element; node = node.parent) {
    list.push(node);
  }
  return list;
}

function replaceWith(element: Element, nodes: ChildNode[]): void {
  const { parent } = element;
  if (parent)
    setChildren(
      parent,
      parent.children.flatMap((child) => (child === element ? nodes : child)),
    );
}

/** Sets the text of a heading and keeps the elements in it, such as anchors. */
function setHeading(heading: Element, text: string): Change {
  const removed = wordsOf(textOf(heading));
  let next = text;
  const visit = (node: ChildNode) => {
    if (isText(node) && node.data.trim()) {
      node.data = next;
      next = '';
    } else if (isTag(node)) node.children.forEach(visit);
  };
  heading.children.forEach(visit);
  return { removed, added: wordsOf(text) };
}

/** The headings of markdown, see {@link keyOf}. */
const keptHeadings = (markdown: string): Set<string> =>
  new Set(
    plainText(markdown)
      .split('\n')
      .filter((line) => /^\s*#{1,6} /.test(line))
      .map(keyOf),
  );

/** The letters and digits of a heading. */
const keyOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
