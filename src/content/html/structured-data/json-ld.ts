import { isJsonObject } from '../../../json/json-object.ts';

/**
 * An item that a page describes, in the form of JSON-LD. `@type` is a name without vocabulary, such as
 * `Product`.
 */
export interface JsonLdItem {
  [name: string]: unknown;
}

/** Longer blocks are ignored. */
const MAX_BLOCK_CHARACTERS = 2_000_000;
const MAX_VALUE_DEPTH = 20;
const MAX_VALUES = 20_000;

/**
 * Parses the nodes of JSON-LD blocks. Members of a `@graph` become separate nodes, and references to nodes
 * are inlined one level deep. Common mistakes are repaired: comments, CDATA, entities, trailing commas, line
 * breaks in strings. Values beyond the limits on length, depth and number are dropped.
 * @param blocks texts of `script` elements
 */
export function parseJsonLd(blocks: string[]): JsonLdItem[] {
  const budget = { values: MAX_VALUES };
  const nodes = blocks
    .filter((block) => block.length <= MAX_BLOCK_CHARACTERS)
    .flatMap(parseBlock)
    .flatMap((value) => nodesOf(normalizeValue(value, budget, 0)));
  return inlineReferences(nodes);
}

const SCHEMA_ORG_OBJECT = /\{\s*"@context"\s*:\s*"https?:\/\/(?:www\.)?schema\.org\/?"/g;
/** Objects of one script. */
const MAX_SCRIPT_OBJECTS = 10;

/**
 * Finds the JSON-LD in a script of a page, which adds it to the page when it runs: each object that begins with the context
 * of schema.org, as it is written.
 */
export function findJsonLdInScript(script: string): string[] {
  if (script.length > MAX_BLOCK_CHARACTERS || !script.includes('schema.org')) return [];
  const blocks: string[] = [];
  let from = 0;
  for (const { index } of script.matchAll(SCHEMA_ORG_OBJECT)) {
    if (index < from || blocks.length === MAX_SCRIPT_OBJECTS) continue;
    from = endOfObject(script, index);
    blocks.push(script.slice(index, from));
  }
  return blocks;
}

/** The position after the bracket that closes the one at `start`, or the end of the text. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') at = endOfString(text, at) - 1;
    else if (sign === '{' || sign === '[') depth++;
    else if ((sign === '}' || sign === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

/**
 * Normalizes a JSON value: names without vocabulary, members of schema.org's enumerations by their name,
 * decoded strings, limited depth and number of values.
 */
export function normalizeValue(value: unknown, budget: { values: number }, depth: number): unknown {
  if (budget.values-- <= 0 || depth > MAX_VALUE_DEPTH) return undefined;
  if (typeof value === 'string') return enumerationName(withoutBreaks(decodeEntities(value)).trim());
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((each) => normalizeValue(each, budget, depth + 1)).filter((each) => each !== undefined);
  }
  const item: JsonLdItem = {};
  for (const [written, each] of Object.entries(value)) {
    const name = withoutVocabulary(written);
    if (name === '@context' || name === '__proto__') continue;
    const plain = name === '@type' ? typeName(each) : normalizeValue(each, budget, depth + 1);
    if (plain !== undefined) item[name] = plain;
  }
  return item;
}

/** A text without the places where a browser may break its words, which shops write into names of products. */
const withoutBreaks = (text: string) => (text.includes('<') ? text.replace(/<wbr\s?\/?>/gi, '') : text);

/** The name of a property without its vocabulary. */
export const withoutVocabulary = (name: string) => name.replace(/^(?:schema:|https?:\/\/schema\.org\/)/i, '');

/**
 * A value without the vocabulary if it is a name of schema.org: `InStock` of `https://schema.org/InStock`.
 */
export const enumerationName = (value: string) =>
  /^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)(\w+)\/?$/i.exec(value)?.[1] ?? value;

/** The first type's own name: `Product` of `https://schema.org/Product`. */
export function typeName(type: unknown): string | undefined {
  const first: unknown = Array.isArray(type) ? type[0] : type;
  if (typeof first !== 'string') return undefined;
  return first.trim().split(/\s+/)[0]!.split(/[/#:]/).findLast(Boolean);
}

function nodesOf(value: unknown): JsonLdItem[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (!isJsonObject(value)) return [];
  const { '@graph': graph, ...own } = value;
  const rest = Object.keys(own).some((name) => !name.startsWith('@')) ? [own] : [];
  return graph === undefined ? rest : [...rest, ...nodesOf(graph)];
}

const MAX_REFERENCES = 1_000;
/** Characters of JSON. Larger nodes are not inlined. */
const MAX_REFERENCED_CHARACTERS = 5_000;

/** Replaces references by the nodes they name. References inside an inlined node stay, which ends cycles. */
function inlineReferences(nodes: JsonLdItem[]): JsonLdItem[] {
  const byId = new Map(nodes.map((node) => [node['@id'], node]));
  const isSmall = new Map<unknown, boolean>();
  const mayStand = (node: JsonLdItem) => {
    if (!isSmall.has(node)) isSmall.set(node, JSON.stringify(node).length <= MAX_REFERENCED_CHARACTERS);
    return isSmall.get(node);
  };
  let links = 0;
  const link = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(link);
    if (!isJsonObject(value)) return value;
    const [name, ...others] = Object.keys(value);
    if (name !== '@id' || others.length > 0) {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, link(each)]));
    }
    const target = byId.get(value['@id']);
    const isLinked = target && links++ < MAX_REFERENCES && mayStand(target);
    return isLinked ? target : value;
  };
  // An object stays one.
  return nodes.some((node) => node['@id'] !== undefined)
    ? nodes.map((node) => link(node) as JsonLdItem)
    : nodes;
}

function parseBlock(block: string): unknown[] {
  const bare = block.trim();
  if (bare === '') return [];
  return (
    tryParse(bare) ??
    parseEach(repairJson(bare)) ??
    // Some pages escape the whole block including its quotation marks.
    parseEach(repairJson(decodeEntities(bare))) ??
    []
  );
}

function tryParse(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    // JSON.parse reports invalid input only by throwing; the caller repairs the text or ignores it.
    return undefined;
  }
}

function parseEach(texts: string[]): unknown[] | undefined {
  const values = texts.flatMap((text) => tryParse(text) ?? []);
  return values.length > 0 ? values : undefined;
}

/** Text around JSON in scripts that is skipped, as pairs of start and end. */
const NON_JSON_PARTS: [string, string][] = [
  ['/*', '*/'],
  ['//', '\n'],
  ['<!--', ''],
  ['-->', ''],
  ['<![CDATA[', ''],
  [']]>', ''],
];

/** Extracts the objects and arrays of a text as valid JSON, in one pass. */
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
      // A comma is written only before another value, which removes trailing ones.
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

/** The position after the closing quotation mark, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes control characters, which JSON strings may not contain. */
function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow control characters in strings
  return text.replace(/[\u0000-\u001f]/g, (sign) => ESCAPES[sign] ?? ' ');
}

/** The names of the characters from U+00A0 to U+00FF, in order. */
const LATIN_NAMES = `
nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3
acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde
Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc
Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml
aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc
otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
`;
/**
 * The entities that are common in structured data. The whole list of HTML would come with a parser, which
 * processes that never convert a page would load too.
 */
const ENTITIES = new Map([
  ...LATIN_NAMES.trim()
    .split(/\s+/)
    .map((name, at): [string, string] => [name, String.fromCodePoint(0xa0 + at)]),
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", ndash: '–', mdash: '—' }),
  ...Object.entries({ lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„' }),
  ...Object.entries({ hellip: '…', bull: '•', trade: '™', euro: '€', prime: '′', Prime: '″', minus: '−' }),
]);
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,31}));/gi;

/**
 * Decodes HTML entities, also those that were escaped twice, as shops often do with the names of products.
 */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const once = text.replace(ENTITY, decodeEntity);
  return once.includes('&') ? once.replace(ENTITY, decodeEntity) : once;
}

/** Decodes one entity; an unknown one stays as it is. */
function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name) return ENTITIES.get(name) ?? ENTITIES.get(name.toLowerCase()) ?? entity;
  const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}
