import { type Item, isItem } from '../html/json-ld.ts';
import { type Reading, toScalar } from './coercion.ts';
import { type Field, fieldsOfItem, fieldsOfText } from './fields.ts';
import { isCommon, isGeneric, means, nameWords, similarity } from './names.ts';
import type { Records } from './records.ts';
import { alternativesOf, isNullable, propertiesOf, type Schema } from './schema.ts';

/** What values are found in, and how they are read. */
export interface Ground extends Reading {
  root: Schema;
  records: Records[];
  /** Comparisons of names that may still be made. */
  budget: { comparisons: number };
}

/** An object that was found, and how sure it is: the sum over its properties. */
export interface Found {
  value: Item;
  certainty: number;
}

const LEAST = 0.5;
const MOST_DEPTH = 8;
/** Of the properties of its members a list has to show so many, or they are something else. */
const LEAST_COVER = 0.5;
/** So sure the properties of a member have to be that everything has. */
const LEAST_CERTAINTY = 0.8;
/** So many of its members have to show one that not everything has. */
const LEAST_TELLING = 0.25;

/** What looking for a property costs, beside the names that are compared. */
const PROPERTY = 50;

/** The properties of an object that fields have values for; `undefined` where there is none. */
export function findObject(schema: Schema, fields: Field[], ground: Ground, depth = 0): Found | undefined {
  if (depth > MOST_DEPTH) return undefined;
  const value: Item = {};
  let certainty = 0;
  for (const [name, property] of propertiesOf(schema)) {
    if (name === '__proto__') continue;
    const found = findProperty(name, property, fields, ground, depth);
    if (found) {
      value[name] = found.value;
      certainty += found.certainty;
    } else if (isNullable(property, ground.root)) {
      value[name] = null;
    }
  }
  return certainty > 0 ? { value, certainty } : undefined;
}

function findProperty(
  name: string,
  property: unknown,
  fields: Field[],
  ground: Ground,
  depth: number,
): { value: unknown; certainty: number } | undefined {
  ground.budget.comparisons -= PROPERTY;
  if (ground.budget.comparisons <= 0) return undefined;
  const alternatives = alternativesOf(property, ground.root);
  const title = alternatives[0]?.title;
  const candidates = fields
    .map((field) => ({ field, certainty: closeness(name, title, field, ground) * field.trust }))
    .filter(({ certainty }) => certainty >= LEAST)
    .sort((one, other) => other.certainty - one.certainty);
  for (const { field, certainty } of candidates) {
    for (const alternative of alternatives) {
      const value = shaped(name, field, alternative, ground, depth);
      if (value !== undefined) return { value, certainty };
    }
  }
  return findSpread(name, alternatives, fields, ground, depth);
}

function closeness(name: string, title: unknown, field: Field, { budget }: Ground): number {
  if (budget.comparisons-- <= 0) return 0;
  const byName = similarity(name, field.name);
  return byName === 0 && typeof title === 'string' ? similarity(title, field.name) * 0.9 : byName;
}

/** What no field holds as a whole: a list among the records of the page, an object in fields with its name in front. */
function findSpread(name: string, alternatives: Schema[], fields: Field[], ground: Ground, depth: number) {
  for (const alternative of alternatives) {
    if (isList(alternative)) {
      const rows = findRows(name, alternative, ground, depth);
      if (rows) return { value: rows.value, certainty: rows.certainty };
    } else if (isObject(alternative)) {
      const prefix = `${nameWords(name).join(' ')} `;
      const own = fields.flatMap((field) => {
        const words = `${nameWords(field.name).join(' ')}`;
        return words.startsWith(prefix) ? [{ ...field, name: words.slice(prefix.length) }] : [];
      });
      const found = findObject(alternative, own, ground, depth + 1);
      if (found) return found;
      // What the page is about has its fields.
      const whole = isGeneric(name) ? findObject(alternative, fields, ground, depth + 1) : undefined;
      if (whole) return whole;
    }
  }
  return undefined;
}

const isList = (schema: Schema) =>
  schema.type === 'array' || (schema.type === undefined && 'items' in schema);
const isObject = (schema: Schema) =>
  schema.type === 'object' || (schema.type === undefined && 'properties' in schema);

/** A field's value in the shape of a schema; `undefined` where it has none. */
function shaped(name: string, field: Field, schema: Schema, ground: Ground, depth: number): unknown {
  if (depth > MOST_DEPTH) return undefined;
  const { value, isData } = field;
  if (isList(schema)) {
    const list = membersOf(name, value, schema, ground)
      .flatMap((member) => {
        const fits = alternativesOf(schema.items ?? {}, ground.root).map((each) =>
          shaped(name, { ...field, value: member }, each, ground, depth + 1),
        );
        return fits.find((each) => each !== undefined) ?? [];
      })
      .slice(0, typeof schema.maxItems === 'number' ? schema.maxItems : undefined);
    return list.length > 0 ? list : undefined;
  }
  if (!isObject(schema)) return toScalar(value, schema, isData, ground);
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (isItem(one)) {
    return propertiesOf(schema).length > 0
      ? findObject(schema, fieldsOfItem(one), ground, depth + 1)?.value
      : one;
  }
  // A text in the place of a thing is its name.
  if (typeof one !== 'string') return undefined;
  const own = isData ? [{ ...field, name: 'name', value: one }] : fieldsOfText(one, field.trust);
  return findObject(schema, own, ground, depth + 1)?.value;
}

/** The members of a list as a page has it; keywords stand in one text. */
function membersOf(name: string, value: unknown, schema: Schema, { root }: Ground): unknown[] {
  if (Array.isArray(value)) return value;
  // One that stands for several has them by the name that it has itself: an AggregateOffer its offers.
  if (isItem(value) && Array.isArray(value[name])) return value[name];
  if (isItem(value) && Array.isArray(value.itemListElement)) {
    return value.itemListElement.map((entry) =>
      isItem(entry) && entry.item !== undefined ? entry.item : entry,
    );
  }
  const ofTexts = alternativesOf(schema.items ?? {}, root).some(({ type }) => type === 'string');
  if (typeof value !== 'string' || !ofTexts || !means(name, 'keywords', 'category', 'language'))
    return [value];
  return value
    .split(/[,;|]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The records of the page that have most of what the members of a list are to have. */
export function findRows(name: string, schema: Schema, ground: Ground, depth: number) {
  const member = alternativesOf(schema.items ?? {}, ground.root).find(isObject);
  const properties = member ? propertiesOf(member).length : 0;
  if (!member || properties === 0 || depth > 2) return undefined;
  let best: { value: Item[]; certainty: number; rank: number } | undefined;
  for (const records of ground.records) {
    const found = records.rows.flatMap((row) => findObject(member, row, ground, MOST_DEPTH - 1) ?? []);
    const filled = found.reduce(
      (sum, { value }) => sum + Object.values(value).filter((each) => each !== null).length,
      0,
    );
    const cover = filled / (properties * found.length || 1);
    if (
      cover < LEAST_COVER ||
      found.length < Math.min(2, records.rows.length) ||
      found.length < records.rows.length / 2
    )
      continue;
    const certainty = found.reduce((sum, each) => sum + each.certainty, 0) / found.length;
    const isNamed = similarity(name, records.name) > 0;
    if (!isNamed && !isOfKind(member, found, certainty / properties)) continue;
    const rank = certainty * (isNamed ? 1.5 : 1) * (1 + Math.min(found.length, 50) / 500);
    if (!best || rank > best.rank) best = { value: found.map(({ value }) => value), certainty, rank };
  }
  return best;
}

/** Of rows that only have what every link has, all of it must be wanted and there: else they are any list of links. */
function isOfKind(member: Schema, found: Found[], certainty: number): boolean {
  const telling = propertiesOf(member).flatMap(([name]) => (isCommon(name) ? [] : [name]));
  if (telling.length === 0) return certainty >= LEAST_CERTAINTY;
  const shows = ({ value }: Found) =>
    telling.some((name) => value[name] !== undefined && value[name] !== null);
  return found.filter(shows).length >= found.length * LEAST_TELLING;
}
