import { isJsonObject } from '../../json/json-object.ts';
import type { JsonLdItem } from '../html/structured-data/json-ld.ts';
import { type Field, itemFields, textFields } from './fields.ts';
import { isNullable, resolveAlternatives, type Schema, schemaProperties } from './json-schema.ts';
import { hasMeaning, isCommonName, isGenericName, nameSimilarity, nameWords } from './property-names.ts';
import type { Records } from './records.ts';
import { toScalar, type ValueContext } from './values/coercion.ts';

/** The page's records and the settings that one extraction shares. */
export interface MatchContext extends ValueContext {
  root: Schema;
  records: Records[];
  /** Comparisons of names that are left; bounds the time of large schemas. */
  budget: { comparisons: number };
}

/** An object assembled for a schema, and the summed certainty of its properties. */
export interface MatchedObject {
  value: JsonLdItem;
  certainty: number;
}

const MIN_SIMILARITY = 0.5;
const MAX_DEPTH = 8;
/** Least share of the wanted properties that the rows of a list must fill. */
const MIN_COVERAGE = 0.5;
/** Least certainty for rows that only have common properties such as name and URL. */
const MIN_CERTAINTY = 0.8;
/** Least share of rows that must have a property which is not common. */
const MIN_DISTINCTIVE_SHARE = 0.25;

/** Cost of looking for a property, in comparisons, beside those of names. */
const PROPERTY_COST = 50;

/** The fields that may fill an object, and how deep the object is in the schema. */
interface MatchScope {
  fields: Field[];
  depth: number;
}

/** Fills schemas from the fields and records of one page. */
export class SchemaMatcher {
  readonly #context: MatchContext;

  constructor(context: MatchContext) {
    this.#context = context;
  }

  /** Fills the properties of an object schema from fields; `undefined` where no field matches. */
  findObject(schema: Schema, fields: Field[], depth = 0): MatchedObject | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const value: JsonLdItem = {};
    let certainty = 0;
    for (const [name, property] of schemaProperties(schema)) {
      if (name === '__proto__') continue;
      const found = this.#findProperty(name, property, { fields, depth });
      if (found) {
        value[name] = found.value;
        certainty += found.certainty;
      } else if (isNullable(property, this.#context.root)) {
        value[name] = null;
      }
    }
    return certainty > 0 ? { value, certainty } : undefined;
  }

  #findProperty(
    name: string,
    property: unknown,
    { fields, depth }: MatchScope,
  ): { value: unknown; certainty: number } | undefined {
    this.#context.budget.comparisons -= PROPERTY_COST;
    if (this.#context.budget.comparisons <= 0) return undefined;
    const alternatives = resolveAlternatives(property, this.#context.root);
    const title = alternatives[0]?.title;
    const candidates = fields
      .map((field) => ({ field, certainty: this.#fieldSimilarity(name, title, field) * field.trust }))
      .filter(({ certainty }) => certainty >= MIN_SIMILARITY)
      .sort((one, other) => other.certainty - one.certainty);
    for (const { field, certainty } of candidates) {
      for (const alternative of alternatives) {
        const value = this.#shapeValue(name, field, alternative, depth);
        if (value !== undefined) return { value, certainty };
      }
    }
    return this.#findComposite(name, alternatives, { fields, depth });
  }

  #fieldSimilarity(name: string, title: unknown, field: Field): number {
    if (this.#context.budget.comparisons-- <= 0) return 0;
    const byName = nameSimilarity(name, field.name);
    return byName === 0 && typeof title === 'string' ? nameSimilarity(title, field.name) * 0.9 : byName;
  }

  /**
   * Finds a value that no single field holds: a list among the page's records, or an object spread over
   * fields with a common prefix.
   */
  #findComposite(name: string, alternatives: Schema[], { fields, depth }: MatchScope) {
    for (const alternative of alternatives) {
      if (isList(alternative)) {
        const rows = this.findList(name, alternative, depth);
        if (rows) return { value: rows.value, certainty: rows.certainty };
      } else if (isObject(alternative)) {
        const prefix = `${nameWords(name).join(' ')} `;
        const own = fields.flatMap((field) => {
          const words = `${nameWords(field.name).join(' ')}`;
          return words.startsWith(prefix) ? [{ ...field, name: words.slice(prefix.length) }] : [];
        });
        const found = this.findObject(alternative, own, depth + 1);
        if (found) return found;
        // A generic name such as `product` stands for the subject of the page.
        const whole = isGenericName(name) ? this.findObject(alternative, fields, depth + 1) : undefined;
        if (whole) return whole;
      }
    }
    return undefined;
  }

  /** Converts the value of a field to the shape of a schema; `undefined` where it does not fit. */
  #shapeValue(name: string, field: Field, schema: Schema, depth: number): unknown {
    if (depth > MAX_DEPTH) return undefined;
    const { value, isData } = field;
    if (isList(schema)) {
      const list = this.#listMembers(name, value, schema)
        .flatMap((member) => {
          const fits = resolveAlternatives(schema.items ?? {}, this.#context.root).map((each) =>
            this.#shapeValue(name, { ...field, value: member, isForLists: false }, each, depth + 1),
          );
          return fits.find((each) => each !== undefined) ?? [];
        })
        .slice(0, typeof schema.maxItems === 'number' ? schema.maxItems : undefined);
      return list.length > 0 ? list : undefined;
    }
    if (field.isForLists) return undefined;
    if (!isObject(schema)) return toScalar(value, schema, isData, this.#context);
    const one: unknown = Array.isArray(value) ? value[0] : value;
    if (isJsonObject(one)) {
      return schemaProperties(schema).length > 0
        ? this.findObject(schema, itemFields(one), depth + 1)?.value
        : one;
    }
    // A text where an object is expected is the object's name.
    if (typeof one !== 'string') return undefined;
    const own = isData ? [{ ...field, name: 'name', value: one }] : textFields(one, field.trust);
    return this.findObject(schema, own, depth + 1)?.value;
  }

  /** The members of a list value; keyword lists in one text are split. */
  #listMembers(name: string, value: unknown, schema: Schema): unknown[] {
    if (Array.isArray(value)) return value;
    // An aggregate holds its members under its own name: an AggregateOffer has `offers`.
    if (isJsonObject(value) && Array.isArray(value[name])) return value[name];
    if (isJsonObject(value) && Array.isArray(value.itemListElement)) {
      return value.itemListElement.map((entry) =>
        isJsonObject(entry) && entry.item !== undefined ? entry.item : entry,
      );
    }
    const ofTexts = resolveAlternatives(schema.items ?? {}, this.#context.root).some(
      ({ type }) => type === 'string',
    );
    if (typeof value !== 'string' || !ofTexts || !hasMeaning(name, 'keywords', 'category', 'language'))
      return [value];
    return value
      .split(/[,;|]/)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }

  /**
   * Finds the records of the page that fill most properties of a list's members.
   * @param depth of the list in the schema
   */
  findList(name: string, schema: Schema, depth: number) {
    const member = resolveAlternatives(schema.items ?? {}, this.#context.root).find(isObject);
    const properties = member ? schemaProperties(member).length : 0;
    if (!member || properties === 0 || depth > 2) return undefined;
    let best: { value: JsonLdItem[]; certainty: number; rank: number } | undefined;
    for (const records of this.#context.records) {
      const found = records.rows.flatMap((row) => this.findObject(member, row, MAX_DEPTH - 1) ?? []);
      const filled = found.reduce(
        (sum, { value }) => sum + Object.values(value).filter((each) => each !== null).length,
        0,
      );
      const cover = filled / (properties * found.length || 1);
      if (
        cover < MIN_COVERAGE ||
        found.length < Math.min(2, records.rows.length) ||
        found.length < records.rows.length / 2
      )
        continue;
      const certainty = found.reduce((sum, each) => sum + each.certainty, 0) / found.length;
      const isNamed = nameSimilarity(name, records.name) > 0;
      if (!isNamed && !hasDistinctiveValues(member, found, certainty / properties)) continue;
      const rank = certainty * (isNamed ? 1.5 : 1) * (1 + Math.min(found.length, 50) / 500);
      if (!best || rank > best.rank) best = { value: found.map(({ value }) => value), certainty, rank };
    }
    return best;
  }
}

const isList = (schema: Schema) =>
  schema.type === 'array' || (schema.type === undefined && 'items' in schema);
const isObject = (schema: Schema) =>
  schema.type === 'object' || (schema.type === undefined && 'properties' in schema);

/**
 * Whether rows are of the wanted kind. Rows that only have what every link has must match surely, otherwise
 * any list of links would do.
 */
function hasDistinctiveValues(member: Schema, found: MatchedObject[], certainty: number): boolean {
  const telling = schemaProperties(member).flatMap(([name]) => (isCommonName(name) ? [] : [name]));
  if (telling.length === 0) return certainty >= MIN_CERTAINTY;
  const shows = ({ value }: MatchedObject) =>
    telling.some((name) => value[name] !== undefined && value[name] !== null);
  return found.filter(shows).length >= found.length * MIN_DISTINCTIVE_SHARE;
}
