import type { JsonLdItem } from '../html/structured-data/json-ld.ts';

/** The organisation that publishes a page, from its structured data. */
export interface Organization {
  name?: string;
  /** URL as written, possibly relative. */
  logo?: string;
}

const ORGANIZATION_TYPES =
  /(Organization|Corporation|Business|Store|Brand|Restaurant|Hotel|School|University)$/;
/** Most nodes visited, so that hostile data cannot take long. */
const MAX_NODES = 2_000;

/**
 * Finds the organisation in the page's structured data. The least nested one wins: it describes the page, not
 * a part of it.
 */
export function findOrganization(items: readonly JsonLdItem[]): Organization {
  const queue: unknown[] = [...items];
  // Breadth first: the queue grows while it is read.
  for (let index = 0; index < Math.min(queue.length, MAX_NODES); index++) {
    const node = queue[index];
    if (typeof node !== 'object' || node === null) continue;
    const fields = node as Record<string, unknown>;
    const kinds = [fields['@type']].flat().filter((kind) => typeof kind === 'string');
    const name = fields.name;
    if (kinds.some((kind) => ORGANIZATION_TYPES.test(kind)) && typeof name === 'string') {
      const logo = extractUrl(fields.logo);
      return { name, ...(logo && { logo }) };
    }
    for (const value of Object.values(fields))
      queue.push(...(Array.isArray(value) ? value.slice(0, 100) : [value]));
  }
  return {};
}

/** Reads a URL, or the URL of an ImageObject. */
function extractUrl(logo: unknown): string | undefined {
  const [first] = [logo].flat();
  if (typeof first === 'string') return first;
  const { url, contentUrl } = (first ?? {}) as Record<string, unknown>;
  return [url, contentUrl].find((each) => typeof each === 'string');
}
