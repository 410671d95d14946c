import { fieldsOf, parseJson } from '../../src/json/json-object.ts';
import type { Operation } from './operations.ts';

/** How many values of a parameter are known at once. */
const MOST = 50;
/** Names of members that are ids of what the operation is about. */
const IDS = new Set(['id', 'jobId', 'scrape_id', 'scrapeId', 'checkId', 'webhookId']);

/** The first two parts of a path, such as `/v2/crawl`: what the ids after it are of. */
const kindOf = (path: string) => /^\/v2\/(?:batch\/)?[^/]+/.exec(path)?.[0] ?? '';

/** The values of parameters in paths that responses contained, so that requests get behind the check of an id. */
export class KnownValues {
  readonly #values = new Map<string, string[]>();
  readonly #patterns: { pattern: RegExp; kind: string; names: string[] }[];

  constructor(operations: readonly Operation[]) {
    this.#patterns = operations
      .filter(({ path }) => path.includes('{'))
      .map(({ path }) => ({
        pattern: new RegExp(`${path.replace(/\{\w+\}/g, '([^/?#"\\s]+)')}(?=["?#]|$)`),
        kind: kindOf(path),
        names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      }));
  }

  /** Remembers the ids of a response, and the parameters in its URLs. */
  learn({ path }: Operation, text: string): void {
    this.#visit(kindOf(path), parseJson(text), 0);
  }

  /** A value that the parameter of an operation may have. @param n chooses one */
  find({ path }: Operation, name: string, n: number): string | undefined {
    const values = this.#values.get(`${kindOf(path)} ${name}`) ?? [];
    return values[n % values.length];
  }

  /** A value of any parameter. @param n chooses one */
  findAny(n: number): string | undefined {
    const all = [...this.#values.values()];
    const values = all[n % all.length] ?? [];
    return values[n % values.length];
  }

  #visit(kind: string, value: unknown, depth: number): void {
    if (depth > 6) return;
    if (typeof value === 'string') this.#readUrl(value);
    else if (Array.isArray(value)) for (const each of value) this.#visit(kind, each, depth + 1);
    else
      for (const [name, member] of Object.entries(fieldsOf(value))) {
        if (IDS.has(name) && typeof member === 'string') {
          this.#add(`${kind} id`, member);
          this.#add(`${kind} ${name}`, member);
          if (name.startsWith('scrape')) this.#add('/v2/scrape id', member);
        } else this.#visit(kind, member, depth + 1);
      }
  }

  #readUrl(text: string): void {
    if (!text.includes('/v2/') || text.length > 4_000) return;
    for (const { pattern, kind, names } of this.#patterns) {
      const found = pattern.exec(text);
      if (found) names.forEach((name, at) => void this.#add(`${kind} ${name}`, found[at + 1] ?? ''));
    }
  }

  #add(key: string, value: string): void {
    const values = this.#values.get(key) ?? [];
    if (values.includes(value)) return;
    // The newest ones, because what they name is still there.
    this.#values.set(key, [...values, value].slice(-MOST));
  }
}
