import fc from 'fast-check';
import { isJsonObject } from '../../src/json/json-object.ts';
import { type JsonSchema, valuesOf } from '../../test/support/schemas/values-of-schema.ts';
import { STRANGE, withFault } from '../../test/support/schemas/with-fault.ts';
import {
  HOSTILE_BODIES,
  HOSTILE_HEADERS,
  HOSTILE_QUERIES,
  HOSTILE_TEXTS,
  HOSTILE_VALUES,
  METHODS,
} from './hostile.ts';
import type { KnownValues } from './known-values.ts';
import type { Operation, Parameter } from './operations.ts';
import { tame } from './tamed-schema.ts';

/** How far a request is from what the reference asks for. */
export const KINDS = ['valid', 'nearly valid', 'hostile'] as const;
export type Kind = (typeof KINDS)[number];

/** A request that was made from an operation of the reference. */
export interface FuzzRequest {
  kind: Kind;
  method: string;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** A value for a parameter in a path: one that is known, or a text. */
type PathValue = { known: number } | { foreign: number } | { text: string };

/** A request whose known values are not chosen yet. */
interface Draft {
  method: string;
  path: Record<string, PathValue>;
  query: [name: string, value: string][];
  /** In place of `query`. */
  rawQuery?: string;
  headers: Record<string, string>;
  mediaType?: string;
  json?: unknown;
  /** In place of `json`. */
  raw?: string | Uint8Array;
}

const BOUNDARY = 'fuzz';
/** The most names of places of a body that a fault may be at. */
const MOST_PLACES = 25;

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The most optional members of a body; more of them often exclude each other. */
const MOST_OPTIONAL = 3;

/** Leaves few of the optional members of objects. */
const sparse = (values: fc.Arbitrary<unknown>, { required }: JsonSchema): fc.Arbitrary<unknown> =>
  fc.tuple(values, fc.nat(MOST_OPTIONAL), fc.nat(99)).map(([value, most, from]) => {
    if (!isJsonObject(value)) return value;
    const isRequired = ([name]: [string, unknown]) => Array.isArray(required) && required.includes(name);
    const { true: needed = [], false: others = [] } = Object.groupBy(Object.entries(value), (member) =>
      isRequired(member) ? 'true' : 'false',
    );
    const kept = others.filter((_, at) => (at + from) % others.length < most);
    return Object.fromEntries([...needed, ...kept]);
  });

/** The drafts of an operation that conform to the reference. */
function validDrafts(
  { method, parameters, bodies }: Operation,
  urls: readonly string[],
): fc.Arbitrary<Draft> {
  const valuesIn = (place: Parameter['in']) =>
    fc.record(
      Object.fromEntries(
        parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, required, schema }) => {
            const values = valuesOf(tame(schema, urls, name) as typeof schema).map(textOf);
            return [name, required ? values : optional(values)];
          }),
      ),
    );
  const path = fc.record(
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name, schema }) => [
          name,
          fc.oneof(
            { weight: 6, arbitrary: fc.record({ known: fc.nat(999) }) },
            { weight: 1, arbitrary: fc.record({ text: valuesOf(schema).map(textOf) }) },
          ),
        ]),
    ),
  );
  const body: fc.Arbitrary<Pick<Draft, 'mediaType' | 'json'>> = bodies.length
    ? fc.oneof(
        ...bodies.map(([mediaType, schema]) =>
          fc.record({
            mediaType: fc.constant(mediaType),
            json: sparse(valuesOf(tame(schema, urls) as typeof schema), schema),
          }),
        ),
      )
    : fc.constant({});
  return fc.record({ path, query: valuesIn('query'), headers: valuesIn('header'), body }).map((parts) => ({
    method,
    path: parts.path,
    query: Object.entries(parts.query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]],
    ),
    headers: Object.fromEntries(
      Object.entries(parts.headers).filter((entry): entry is [string, string] =>
        /^[\x20-\x7e]*$/.test(entry[1] ?? '\0'),
      ),
    ),
    ...parts.body,
  }));
}

/** A change that makes something wrong with a draft. */
type Fault = (draft: Draft) => Draft;

const atPlace = (values: readonly unknown[]): fc.Arbitrary<Fault> =>
  fc
    .record({ place: fc.nat(MOST_PLACES), value: fc.constantFrom(...values) })
    .map(({ place, value }) => (draft) => ({ ...draft, json: withFault(draft.json, place, value) }));

const inPath = (values: fc.Arbitrary<PathValue>): fc.Arbitrary<Fault> =>
  values.map((value) => (draft) => ({
    ...draft,
    path: Object.fromEntries(Object.keys(draft.path).map((name) => [name, value])),
  }));

/** Leaves out the n-th member of a body, counted from the last one on. */
const withoutMember: fc.Arbitrary<Fault> = fc.nat(20).map((n) => (draft) => {
  if (!isJsonObject(draft.json)) return draft;
  const members = Object.entries(draft.json);
  return { ...draft, json: Object.fromEntries(members.filter((_, at) => at !== n % members.length)) };
});

/** Misspells the n-th member of a body. */
const misspelt: fc.Arbitrary<Fault> = fc.nat(20).map((n) => (draft) => {
  if (!isJsonObject(draft.json)) return draft;
  const members = Object.entries(draft.json);
  return {
    ...draft,
    json: Object.fromEntries(
      members.map(([name, value], at) => [at === n % members.length ? `${name}s` : name, value]),
    ),
  };
});

const unknownQuery: fc.Arbitrary<Fault> = fc
  .constantFrom('limt', 'status', 'format', 'x')
  .map((name) => (draft) => ({ ...draft, query: [...draft.query, [name, '1']] }));
const strangeQuery = (values: readonly string[]): fc.Arbitrary<Fault> =>
  fc.constantFrom(...values).map((value) => (draft) => ({
    ...draft,
    query: draft.query.map(([name]) => [name, value]),
  }));
const otherMethod: fc.Arbitrary<Fault> = fc
  .constantFrom(...METHODS)
  .map((method) => (draft) => ({ ...draft, method }));
const withoutKey: fc.Arbitrary<Fault> = fc.constant((draft) => ({
  ...draft,
  headers: { ...draft.headers, authorization: '' },
}));

const NEARLY: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 6, arbitrary: atPlace(STRANGE) },
  { weight: 2, arbitrary: withoutMember },
  { weight: 2, arbitrary: misspelt },
  { weight: 2, arbitrary: inPath(fc.record({ foreign: fc.nat(9_999) })) },
  { weight: 1, arbitrary: inPath(fc.uuid().map((text) => ({ text }))) },
  { weight: 1, arbitrary: unknownQuery },
  { weight: 2, arbitrary: strangeQuery(['', '0', '-1', '1.5', 'x', 'true', '1e9']) },
  { weight: 1, arbitrary: otherMethod },
  { weight: 1, arbitrary: withoutKey },
);

const HOSTILE: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 5, arbitrary: atPlace(HOSTILE_VALUES) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...HOSTILE_BODIES).map((raw) => (draft: Draft) => ({ ...draft, raw })),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...HOSTILE_HEADERS).map((headers) => (draft: Draft) => ({
      ...draft,
      headers: { ...draft.headers, ...headers },
    })),
  },
  { weight: 3, arbitrary: inPath(fc.constantFrom(...HOSTILE_TEXTS).map((text) => ({ text }))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...HOSTILE_QUERIES).map((rawQuery) => (draft: Draft) => ({
      ...draft,
      rawQuery,
    })),
  },
  { weight: 2, arbitrary: strangeQuery(HOSTILE_TEXTS) },
);

/** The drafts of an operation of a kind. */
function draftsOf(operation: Operation, kind: Kind, urls: readonly string[]): fc.Arbitrary<Draft> {
  const drafts = validDrafts(operation, urls);
  if (kind === 'valid') return drafts;
  const faults = fc.array(kind === 'hostile' ? HOSTILE : NEARLY, { minLength: 1, maxLength: 2 });
  return fc
    .tuple(drafts, faults)
    .map(([draft, changes]) => changes.reduce((changed, change) => change(changed), draft));
}

/** Drafts of one operation and kind that are made at once. */
const AT_ONCE = 20;

/**
 * Makes requests of an operation without end, the same ones for the same seed, apart from the ids of the
 * service.
 * @param urls the pages that the requests may lead to
 */
export function* makeRequests(
  operation: Operation,
  kind: Kind,
  { urls, seed, known }: { urls: readonly string[]; seed: number; known: KnownValues },
): Generator<FuzzRequest, never> {
  const drafts = draftsOf(operation, kind, urls);
  for (let turn = 0; ; turn++)
    for (const draft of fc.sample(drafts, { seed: seed + turn * 7_919, numRuns: AT_ONCE }))
      yield finish(operation, kind, draft, known);
}

const NO_ID = '0190a6e0-0000-7000-8000-000000000000';

function finish(operation: Operation, kind: Kind, draft: Draft, known: KnownValues): FuzzRequest {
  const choose = (name: string) => {
    const value = draft.path[name] ?? { known: 0 };
    if ('text' in value) return value.text;
    if ('foreign' in value) return known.findAny(value.foreign) ?? NO_ID;
    return known.find(operation, name, value.known) ?? NO_ID;
  };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(choose(name).toWellFormed()),
  );
  const query =
    draft.rawQuery ??
    draft.query
      .map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('='))
      .join('&');
  return {
    kind,
    method: draft.method,
    target: query ? `${path}?${query}` : path,
    ...withBody(draft),
  };
}

function withBody({ headers, mediaType, json, raw }: Draft): Pick<FuzzRequest, 'headers' | 'body'> {
  if (raw !== undefined)
    return { headers: { 'content-type': mediaTypeOf(mediaType), ...headers }, body: raw };
  if (json === undefined) return { headers };
  const body = mediaType === 'multipart/form-data' ? toMultipart(json) : textOf(json);
  return { headers: { 'content-type': mediaTypeOf(mediaType), ...headers }, body };
}

const mediaTypeOf = (mediaType = 'application/json') => {
  if (mediaType === 'multipart/form-data') return `${mediaType}; boundary=${BOUNDARY}`;
  return mediaType === '*/*' ? 'application/octet-stream' : mediaType;
};

const FILE = '<title>A file</title><main><h1>A file</h1><p>It has a paragraph of text.</p></main>';

/** A multipart body (RFC 7578) with a part for each member, in which `file` is always the same one. */
function toMultipart(json: unknown): string {
  const parts = Object.entries(isJsonObject(json) ? json : { file: json }).map(([name, value]) =>
    name === 'file'
      ? `Content-Disposition: form-data; name="file"; filename="file.html"\r\nContent-Type: text/html\r\n\r\n${FILE}`
      : `Content-Disposition: form-data; name="${name}"\r\n\r\n${textOf(value)}`,
  );
  return `${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`;
}
