/**
 * Distinguishes combinations of filters from parameters that identify items. Filters multiply to an almost
 * endless number of URLs with the same content.
 */
export interface FilterTrap {
  /**
   * Counts a URL with a query.
   * @param group a name that all URLs of the same kind share
   * @returns true if the URL combines filters and its group already has more combinations than a crawl needs
   */
  isEndless(group: string, url: URL): boolean;
}

/** The counts of the URLs of one kind. */
interface Group {
  urls: number;
  /** Hashes of the distinct values of each parameter and of the path, up to {@link MAX_VALUES}. */
  values: Map<string, Set<number>>;
}

const MAX_GROUPS = 100;
const MAX_PARAMETERS = 12;
/** A parameter with this many values identifies items and is not a filter. */
const MAX_VALUES = 500;
/** Maximum number of combinations that are admitted, by the number of filters with more than one value. */
const FEW_FILTERS = 3;
const MANY_FILTERS = 5;
const MAX_COMBINATIONS_OF_FEW = 5_000;
const MAX_COMBINATIONS_OF_MANY = 1_000;
/**
 * Minimum ratio of URLs to the values of the parameter with the most values. For items, the ratio is about
 * one; combinations of filters have many times more URLs.
 */
const MIN_URLS_PER_VALUE = 20;

/** The key of the path among the parameters; its leading blank keeps it apart from real parameter names. */
const PATH_KEY = ' path';

/** FNV-1a with 32 bits, which is enough to distinguish a few hundred values. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

function countValue({ values }: Group, key: string, value: string): void {
  const known = values.get(key);
  if (known) {
    if (known.size < MAX_VALUES) known.add(hashOf(value));
  } else if (values.size < MAX_PARAMETERS) {
    values.set(key, new Set([hashOf(value)]));
  }
}

const varies = ({ values }: Group, key: string) => (values.get(key)?.size ?? 0) > 1;

function hasEndlessCombinations(group: Group): boolean {
  const { urls, values } = group;
  if (urls <= MAX_COMBINATIONS_OF_MANY) return false;
  const maxValues = Math.max(...[...values.values()].map(({ size }) => size));
  if (maxValues >= MAX_VALUES || urls < maxValues * MIN_URLS_PER_VALUE) return false;
  const filters = [...values.keys()].filter((key) => key !== PATH_KEY && varies(group, key)).length;
  return filters >= MANY_FILTERS || (filters >= FEW_FILTERS && urls > MAX_COMBINATIONS_OF_FEW);
}

/** Creates an empty counter. Its memory is bounded; URLs of further groups are always admitted. */
export function createFilterTrap(): FilterTrap {
  const groups = new Map<string, Group>();

  function groupOf(name: string): Group | undefined {
    const known = groups.get(name);
    if (known || groups.size >= MAX_GROUPS) return known;
    const group: Group = { urls: 0, values: new Map() };
    groups.set(name, group);
    return group;
  }

  return {
    isEndless(name, url) {
      const group = groupOf(name);
      if (!group) return false;
      const parameters = [...url.searchParams];
      // A few filters have a limited number of values, so only URLs that combine several of them are refused.
      const combined = new Set(parameters.map(([key]) => key).filter((key) => varies(group, key))).size;
      if (combined >= FEW_FILTERS && hasEndlessCombinations(group)) return true;
      group.urls++;
      countValue(group, PATH_KEY, url.pathname);
      for (const [key, value] of parameters) countValue(group, key, value);
      return false;
    },
  };
}
