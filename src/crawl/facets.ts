/** Tells combined filters, which multiply, from parameters that name things. */
export interface FacetCounter {
  /**
   * Counts an address with a query.
   * @param group what addresses of its kind share
   * @returns true for a combination of filters, once the group has more of them than anyone needs
   */
  isEndless(group: string, url: URL): boolean;
}

/** What is known of the addresses of one kind. */
interface Group {
  addresses: number;
  /** Hashes of the different values of each parameter, and of the path; not grown once there are enough. */
  values: Map<string, Set<number>>;
}

const MAX_GROUPS = 100;
const MAX_KEYS = 12;
/** What has as many values names things, and is no filter. */
const MAX_VALUES = 500;
/** Combinations that are let through, by the number of filters that vary. */
const FEW_FILTERS = 3;
const MANY_FILTERS = 5;
const MAX_OF_FEW = 5_000;
const MAX_OF_MANY = 1_000;
/** Things have about as many addresses as names; combinations have this many times more. */
const MIN_RATIO = 20;

/** No parameter of this name can be: it would be encoded. */
const PATH = ' path';

/** FNV-1a, 32 bits: enough to tell some hundred values apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

function countValue({ values }: Group, key: string, value: string): void {
  const known = values.get(key);
  if (known) {
    if (known.size < MAX_VALUES) known.add(hashOf(value));
  } else if (values.size < MAX_KEYS) {
    values.set(key, new Set([hashOf(value)]));
  }
}

const varies = ({ values }: Group, key: string) => (values.get(key)?.size ?? 0) > 1;

function isCombinations(group: Group): boolean {
  const { addresses, values } = group;
  if (addresses <= MAX_OF_MANY) return false;
  const most = Math.max(...[...values.values()].map(({ size }) => size));
  if (most >= MAX_VALUES || addresses < most * MIN_RATIO) return false;
  const filters = [...values.keys()].filter((key) => key !== PATH && varies(group, key)).length;
  return filters >= MANY_FILTERS || (filters >= FEW_FILTERS && addresses > MAX_OF_FEW);
}

/** Starts with nothing counted; what it keeps is bounded, and beyond that everything is let through. */
export function createFacetCounter(): FacetCounter {
  const groups = new Map<string, Group>();

  function groupOf(name: string): Group | undefined {
    const known = groups.get(name);
    if (known || groups.size >= MAX_GROUPS) return known;
    const group: Group = { addresses: 0, values: new Map() };
    groups.set(name, group);
    return group;
  }

  return {
    isEndless(name, url) {
      const group = groupOf(name);
      if (!group) return false;
      const parameters = [...url.searchParams];
      // A single filter has an end; only what combines some of them is left out.
      const combines = new Set(parameters.map(([key]) => key).filter((key) => varies(group, key))).size;
      if (combines >= FEW_FILTERS && isCombinations(group)) return true;
      group.addresses++;
      countValue(group, PATH, url.pathname);
      for (const [key, value] of parameters) countValue(group, key, value);
      return false;
    },
  };
}
