import { parse, type Selector, SelectorType } from 'css-what';
import { z } from 'zod';
import { pageFunction, type RunInPage } from '../../../content/open-page/page-function.ts';

/** Longer names are left out: no filter list has any, and a page can make each as long as it likes. */
const MAX_NAME_LENGTH = 1_000;
/** How many names of each kind are read. */
const MAX_NAMES = 50_000;
/** How many characters of names are read in all. */
const MAX_CHARACTERS = 5_000_000;

const NameList = z.array(z.string().max(MAX_NAME_LENGTH)).max(MAX_NAMES);
const ElementNames = z.object({
  url: z.string().max(MAX_CHARACTERS),
  tags: NameList,
  ids: NameList,
  classes: NameList,
  /** Names of attributes. */
  attributes: NameList,
  /** Absolute URLs of its links. */
  hrefs: NameList,
});

/** The names in a document by which selectors find elements. Its frames and shadow trees are left out. */
export type ElementNames = z.infer<typeof ElementNames>;

interface NameLimits {
  maxLength: number;
  maxNames: number;
  maxCharacters: number;
}

/** Runs in the page. */
const collectElementNames = pageFunction(
  ElementNames,
  ({ maxLength, maxNames, maxCharacters }: NameLimits, dom): ElementNames => {
    const tags = new Set<string>();
    const ids = new Set<string>();
    const classes = new Set<string>();
    const attributes = new Set<string>();
    const hrefs = new Set<string>();
    let charactersLeft = maxCharacters;
    const add = (names: Set<string>, name: string) => {
      if (!name || name.length > maxLength || names.has(name)) return;
      if (names.size >= maxNames || name.length > charactersLeft) return;
      charactersLeft -= name.length;
      names.add(name);
    };
    for (const element of dom.findAll('*')) {
      add(tags, dom.localName(element));
      for (const name of dom.attributeNames(element)) add(attributes, name);
      for (const name of dom.classList(element)) add(classes, name);
      add(ids, dom.id(element));
      if (element instanceof HTMLAnchorElement && element.hasAttribute('href')) add(hrefs, element.href);
    }
    return {
      url: location.href.slice(0, maxCharacters),
      tags: [...tags],
      ids: [...ids],
      classes: [...classes],
      attributes: [...attributes],
      hrefs: [...hrefs],
    };
  },
);

/** Reads the names in a document. */
export const readElementNames = (run: RunInPage): Promise<ElementNames> =>
  run(collectElementNames, {
    maxLength: MAX_NAME_LENGTH,
    maxNames: MAX_NAMES,
    maxCharacters: MAX_CHARACTERS,
  });

/**
 * Whether a selector may match something in a document. It is not asked in the document, which would cost
 * more.
 */
export type SelectorCheck = (selector: string) => boolean;

/** Selectors that were parsed; they come from filter lists and rules, of which there are thousands. */
const parsed = new Map<string, Selector[][] | undefined>();
const MAX_PARSED = 2_000;

/**
 * Creates a check which selectors may match in a document: those whose names all occur in it, wherever.
 * A selector that is not understood may match.
 */
export function createSelectorCheck({
  tags,
  ids,
  classes,
  attributes,
}: Omit<ElementNames, 'url' | 'hrefs'>): SelectorCheck {
  // Documents in quirks mode ignore the case of ids and classes.
  const lowerCase = (names: string[]) => new Set(names.map((name) => name.toLowerCase()));
  const present = {
    tag: lowerCase(tags),
    id: lowerCase(ids),
    class: lowerCase(classes),
    attribute: lowerCase(attributes),
  };
  const someContains = (names: Set<string>, part: string) => [...names].some((name) => name.includes(part));
  const occurs = (part: Selector): boolean => {
    if (part.type === SelectorType.Tag) return present.tag.has(part.name.toLowerCase());
    // The selectors inside `:has` and `:is` have to match as well.
    if (part.type === SelectorType.Pseudo && part.name !== 'not' && Array.isArray(part.data))
      return part.data.some((parts) => parts.every(occurs));
    if (part.type !== SelectorType.Attribute) return true;
    const name = part.name.toLowerCase();
    if (part.action === 'not') return true;
    if (!present.attribute.has(name)) return false;
    const value = part.value.toLowerCase();
    // An empty attribute has no name that could be looked for.
    if (value === '') return true;
    if (name === 'id')
      return part.action === 'equals' ? present.id.has(value) : someContains(present.id, value);
    if (name !== 'class' || /\s/.test(value)) return true;
    return part.action === 'element' ? present.class.has(value) : someContains(present.class, value);
  };
  return (selector) => {
    const alternatives = parseSelector(selector);
    return !alternatives || alternatives.some((parts) => parts.every(occurs));
  };
}

/** @returns `undefined` if the selector is not understood */
function parseSelector(selector: string): Selector[][] | undefined {
  if (parsed.has(selector)) return parsed.get(selector);
  if (parsed.size >= MAX_PARSED) parsed.clear();
  let alternatives: Selector[][] | undefined;
  try {
    alternatives = parse(selector);
  } catch {
    // The browser may know what the parser does not.
  }
  parsed.set(selector, alternatives);
  return alternatives;
}
