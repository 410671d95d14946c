import type { Item } from '../html/json-ld.ts';

/** Whom a page is from, by its structured data. */
export interface Organization {
  name?: string;
  /** As it is written there. */
  logo?: string;
}

const KINDS = /(Organization|Corporation|Business|Store|Brand|Restaurant|Hotel|School|University)$/;
/** Data nested deeper, or wider, is nobody's name. */
const MOST_NODES = 2_000;

/** Finds the organisation among the things that a page describes: the page's own before that of a part of it. */
export function organizationOf(items: readonly Item[]): Organization {
  const queue: unknown[] = [...items];
  // The queue grows while it is read: what is nested less comes first.
  for (let index = 0; index < Math.min(queue.length, MOST_NODES); index++) {
    const node = queue[index];
    if (typeof node !== 'object' || node === null) continue;
    const fields = node as Record<string, unknown>;
    const kinds = [fields['@type']].flat().filter((kind) => typeof kind === 'string');
    const name = fields.name;
    if (kinds.some((kind) => KINDS.test(kind)) && typeof name === 'string') {
      const logo = addressOf(fields.logo);
      return { name, ...(logo && { logo }) };
    }
    for (const value of Object.values(fields))
      queue.push(...(Array.isArray(value) ? value.slice(0, 100) : [value]));
  }
  return {};
}

/** An address, or an ImageObject with one. */
function addressOf(logo: unknown): string | undefined {
  const [first] = [logo].flat();
  if (typeof first === 'string') return first;
  const { url, contentUrl } = (first ?? {}) as Record<string, unknown>;
  return [url, contentUrl].find((address) => typeof address === 'string');
}
