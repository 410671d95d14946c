import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeApi } from '../../src/api/reference/openapi.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { validate } from '../../src/api/validation/validate.ts';
import { FORMATS } from '../../src/content/formats/index.ts';
import { ServiceError } from '../../src/errors.ts';
import { fieldsOf } from '../../src/json/json-object.ts';
import { type JsonSchema, valuesOf } from '../support/schemas/values-of-schema.ts';
import { STRANGE, withFault } from '../support/schemas/with-fault.ts';
import { propertyRuns } from '../support/suite/corpus.ts';

/** The schemas of requests in the API reference accept and refuse what the API does. */

/**
 * Rules between members and of JSON Schemas, which the descriptions tell and no schema of the reference has.
 */
const RULES_OF_CODE = [
  /^no usable JSON Schema: /,
  /^at most one \w+ format is allowed$/,
  /^the \w+ format requires the \w+ format in the same request$/,
  /^the formats \w+ and \w+ cannot be combined$/,
  /^\w+ must be the only format$/,
  /^waitFor must not exceed half of timeout$/,
  /^waitFor and all wait actions together must not exceed 60000 ms$/,
  /^actions need the browser, which fastMode does not use/,
  /^strictConstrainToURLs needs urls$/,
  /^includeDomains and excludeDomains cannot both be specified$/,
  /^the category developer cannot be combined with others$/,
  /^the rating \w+ needs /,
  /^feedback needs more than a rating/,
  /^a search target needs a goal/,
  /^recipients must have at least one address/,
  /^two targets have this id/,
  /^there is no screenshot to compare/,
  /^pictures of a quality are JPEG files/,
];
const FORMAT_CONFLICTS = new Set<string>(
  FORMATS.flatMap((format) => Object.values(('conflicts' in format && format.conflicts) || {})),
);
const isRuleOfCode = (message: string) =>
  FORMAT_CONFLICTS.has(message) || RULES_OF_CODE.some((rule) => rule.test(message));

const { paths = {}, components } = JSON.parse(JSON.stringify(describeApi(ROUTES)));
const resolve = (schema: JsonSchema): JsonSchema =>
  typeof schema.$ref === 'string' ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** Each body of a request, as the reference and the code have it. */
const BODIES = ROUTES.flatMap(({ method, path, body, fileOptions }) => {
  const operation = paths[path.replace(/:(\w+)/g, '{$1}')][method];
  const content = fieldsOf(operation.requestBody?.content);
  const json = fieldsOf(content['application/json']).schema;
  const parts = fieldsOf(fieldsOf(content['multipart/form-data']).schema);
  const options = fieldsOf(parts.properties).options;
  const name = `${method.toUpperCase()} ${path}`;
  return [
    ...(json && body ? [{ name, schema: resolve(fieldsOf(json)), code: body }] : []),
    ...(options && fileOptions
      ? [{ name: `${name}, options of a file`, schema: resolve(fieldsOf(options)), code: fileOptions }]
      : []),
  ];
});

describe.each(BODIES)('the schema of $name', ({ schema, code }) => {
  const conforms = ajv.compile(schema);
  const requests = valuesOf(schema).filter((value) => conforms(value));
  const faultsOf = (request: unknown) => code.safeParse(request).error?.issues ?? [];

  it('accepts nothing that the API refuses', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const faults = faultsOf(request).filter(({ message }) => !isRuleOfCode(message));
        expect(faults, JSON.stringify(request)).toEqual([]);
      }),
      propertyRuns(1_000),
    );
  });

  it('refuses what the API refuses, and nothing else', () => {
    fc.assert(
      fc.property(requests, fc.nat(12), fc.constantFrom(...STRANGE), (request, place, strange) => {
        const changed = withFault(request, place, strange);
        const faults = faultsOf(changed).filter(({ message }) => !isRuleOfCode(message));
        const isAccepted = conforms(changed);
        const texts = faults.map(({ path, message }) => `${path.join('.')}: ${message}`);
        expect(
          faults.length === 0,
          `${JSON.stringify(changed)} ${JSON.stringify(conforms.errors)} ${texts}`,
        ).toBe(isAccepted);
      }),
      propertyRuns(2_000),
    );
  });
});

/** Objects of which JavaScript can make no text. */
const TEXTLESS: unknown[] = [
  { toString: 1, valueOf: null },
  [{ toString: null, valueOf: 0 }],
  { type: { toString: 1 } },
];

describe.each(BODIES)('the check of $name', ({ schema, code }) => {
  it('says what is wrong, whatever is in the place of a value', () => {
    fc.assert(
      fc.property(valuesOf(schema), fc.nat(40), fc.constantFrom(...TEXTLESS), (request, place, strange) => {
        const changed = withFault(request, place, strange);
        try {
          validate(code, changed, 'body');
        } catch (error) {
          expect(error, JSON.stringify(changed)).toBeInstanceOf(ServiceError);
        }
      }),
      propertyRuns(3_000),
    );
  });
});

describe('the reference', () => {
  const schemaOf = (path: string) =>
    resolve(paths[path].post.requestBody.content['application/json'].schema).properties as Record<
      string,
      JsonSchema
    >;

  it('names the strings that stand for a source, a category and a format', () => {
    const search = schemaOf('/v2/search');
    const stringsOf = (list: JsonSchema | undefined) =>
      (fieldsOf(list?.items).anyOf as [{ enum: string[] }])[0].enum;
    expect(stringsOf(search.sources)).toEqual(['web', 'images', 'news']);
    expect(stringsOf(search.categories)).toContain('pdf');
    const formats = stringsOf(schemaOf('/v2/scrape').formats);
    expect(formats).toEqual(expect.arrayContaining(['markdown', 'screenshot', 'changeTracking']));
    for (const name of ['json', 'question', 'highlights', 'attributes', 'query'])
      expect(formats).not.toContain(name);
  });

  it.each(['safeMode', 'threatProtection', 'useMock'])('says how a request with %s is refused', (name) => {
    expect(schemaOf('/v2/scrape')[name]?.description).toMatch(
      /refused with `(FEATURE_NOT_AVAILABLE|FORBIDDEN)`/,
    );
  });
});
