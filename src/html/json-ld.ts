/** A thing that a page describes, as JSON-LD writes it: `@type` is the type's own name, such as `Product`. */
export interface Item {
  [name: string]: unknown;
}

/** What is longer is no description of a page. */
const MAX_BLOCK_CHARACTERS = 2_000_000;
const MAX_VALUE_DEPTH = 20;
const MAX_VALUES = 20_000;

/**
 * The nodes of JSON-LD blocks, members of a `@graph` one by one, references to them put in once. Blocks that are broken
 * are repaired where the mistake is a usual one: comments, CDATA, entities, commas too many, line breaks in texts.
 * Bounded: what is too long, too deep or too much is dropped.
 * @param blocks texts of `script` elements
 */
export function parseJsonLd(blocks: string[]): Item[] {
  const budget = { values: MAX_VALUES };
  const nodes = blocks
    .filter((block) => block.length <= MAX_BLOCK_CHARACTERS)
    .flatMap(parseBlock)
    .flatMap((value) => nodesOf(normalizeValue(value, budget, 0)));
  return inlineReferences(nodes);
}

/** A value of JSON as data of a page: names without a vocabulary in front, bounded in depth and number. */
export function normalizeValue(value: unknown, budget: { values: number }, depth: number): unknown {
  if (budget.values-- <= 0 || depth > MAX_VALUE_DEPTH) return undefined;
  if (typeof value === 'string') return decodeEntities(value).trim();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((each) => normalizeValue(each, budget, depth + 1)).filter((each) => each !== undefined);
  }
  const item: Item = {};
  for (const [written, each] of Object.entries(value)) {
    const name = withoutVocabulary(written);
    if (name === '@context' || name === '__proto__') continue;
    const plain = name === '@type' ? typeName(each) : normalizeValue(each, budget, depth + 1);
    if (plain !== undefined) item[name] = plain;
  }
  return item;
}

/** The name of a property without its vocabulary. */
export const withoutVocabulary = (name: string) => name.replace(/^(?:schema:|https?:\/\/schema\.org\/)/i, '');

/** The first type's own name: `Product` of `https://schema.org/Product`. */
export function typeName(type: unknown): string | undefined {
  const first: unknown = Array.isArray(type) ? type[0] : type;
  if (typeof first !== 'string') return undefined;
  return first.trim().split(/\s+/)[0]!.split(/[/#:]/).findLast(Boolean);
}

/** Whether a value is a thing, no list of them. */
export const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function nodesOf(value: unknown): Item[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (!isItem(value)) return [];
  const { '@graph': graph, ...own } = value;
  const rest = Object.keys(own).some((name) => !name.startsWith('@')) ? [own] : [];
  return graph === undefined ? rest : [...rest, ...nodesOf(graph)];
}

const MAX_REFERENCES = 1_000;
/** Characters of JSON; what is larger stays a reference. */
const MAX_REFERENCED_CHARACTERS = 5_000;

/** Where a value is only the name of another node, that node stands there; not so inside of it, which ends circles. */
function inlineReferences(nodes: Item[]): Item[] {
  const byId = new Map(nodes.map((node) => [node['@id'], node]));
  const isSmall = new Map<unknown, boolean>();
  const mayStand = (node: Item) => {
    if (!isSmall.has(node)) isSmall.set(node, JSON.stringify(node).length <= MAX_REFERENCED_CHARACTERS);
    return isSmall.get(node);
  };
  let links = 0;
  const link = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(link);
    if (!isItem(value)) return value;
    const [name, ...others] = Object.keys(value);
    if (name !== '@id' || others.length > 0) {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, link(each)]));
    }
    const target = byId.get(value['@id']);
    const isLinked = target && links++ < MAX_REFERENCES && mayStand(target);
    return isLinked ? target : value;
  };
  // An object stays one.
  return nodes.some((node) => node['@id'] !== undefined) ? nodes.map((node) => link(node) as Item) : nodes;
}

function parseBlock(block: string): unknown[] {
  const bare = block.trim();
  if (bare === '') return [];
  return (
    tryParse(bare) ??
    parseEach(repairJson(bare)) ??
    // Some escape the whole block, its quotation marks too.
    parseEach(repairJson(decodeEntities(bare))) ??
    []
  );
}

function tryParse(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    // JSON tells only by throwing; the caller has another try, or does without.
    return undefined;
  }
}

function parseEach(texts: string[]): unknown[] | undefined {
  const values = texts.flatMap((text) => tryParse(text) ?? []);
  return values.length > 0 ? values : undefined;
}

/** What stands around JSON in scripts, and where it ends. */
const NON_JSON_PARTS: [string, string][] = [
  ['/*', '*/'],
  ['//', '\n'],
  ['<!--', ''],
  ['-->', ''],
  ['<![CDATA[', ''],
  [']]>', ''],
];

/** The objects and lists of a text, without what JSON does not have. One pass. */
function repairJson(text: string): string[] {
  const values: string[] = [];
  let value = '';
  let depth = 0;
  let isComma = false;
  for (let at = 0; at < text.length; ) {
    const aside = NON_JSON_PARTS.find(([start]) => text.startsWith(start, at));
    const sign = text[at]!;
    if (aside) {
      const [start, end] = aside;
      const past = text.indexOf(end, at + start.length);
      at = past < 0 ? text.length : past + end.length;
    } else if (sign === '"') {
      const end = endOfString(text, at);
      if (depth > 0) value += (isComma ? ',' : '') + escapeControls(text.slice(at, end));
      isComma = false;
      at = end;
    } else {
      at++;
      if (/\s/.test(sign)) continue;
      const isEnd = sign === '}' || sign === ']';
      if (sign === '{' || sign === '[') depth++;
      // A comma waits for what it parts.
      if (isComma && !isEnd && depth > 0) value += ',';
      isComma = sign === ',';
      if (depth > 0 && !isComma) value += sign;
      if (isEnd && depth > 0 && --depth === 0) {
        values.push(value);
        value = '';
      }
    }
  }
  return values;
}

/** Behind the closing quotation mark, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Signs that a string of JSON may have as escapes only. */
function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is not allowed there
  return text.replace(/[\u0000-\u001f]/g, (sign) => ESCAPES[sign] ?? ' ');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** With the entities that people escape JSON with. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (all, decimal, hex, name) => {
      if (name) return ENTITIES[name.toLowerCase()] ?? all;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
