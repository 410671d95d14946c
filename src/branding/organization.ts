/** Whom a page is from, by its structured data. */
export interface Organization {
  name?: string;
  /** As it is written there. */
  logo?: string;
}

const KINDS = /(Organization|Corporation|Business|Store|Brand|Restaurant|Hotel|School|University)$/;
/** Data nested deeper, or wider, is nobody's name. */
const MOST_NODES = 2_000;

/** Finds the organisation in JSON-LD: the page's own before that of a part of it. @param structured each a JSON text */
export function organizationOf(structured: readonly string[]): Organization {
  const queue: unknown[] = structured.flatMap((text) => parsed(text) ?? []);
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Pages write what is no JSON; that says nothing.
    return undefined;
  }
}

/** An address, or an ImageObject with one. */
function addressOf(logo: unknown): string | undefined {
  const [first] = [logo].flat();
  if (typeof first === 'string') return first;
  const { url, contentUrl } = (first ?? {}) as Record<string, unknown>;
  return [url, contentUrl].find((address) => typeof address === 'string');
}
