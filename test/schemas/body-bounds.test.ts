import { describe, expect, it } from 'vitest';
import { describeApi } from '../../src/api/reference/openapi.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { fieldsOf } from '../../src/json/json-object.ts';
import { viewerMessage } from '../../src/schemas/live-view.ts';

/** The one list that may be as long as a body can be: each URL is a page of the batch. */
const AS_LONG_AS_A_BODY = ['POST /v2/batch/scrape.urls'];

/** Every list and record of values in a request, with the path to it and whether it is bounded. */
function findCollections(schema: unknown, path: string, found = new Map<string, boolean>()) {
  const fields = fieldsOf(schema);
  if (fields.type === 'array') found.set(path, fields.maxItems !== undefined);
  // Values of any kind are not looked at, so that none is wrong.
  if (Object.keys(fieldsOf(fields.additionalProperties)).length > 0)
    found.set(path, fields.maxProperties !== undefined);
  for (const [name, member] of Object.entries(fieldsOf(fields.properties)))
    findCollections(member, `${path}.${name}`, found);
  for (const choice of ['anyOf', 'oneOf', 'allOf']) {
    const members = fields[choice];
    if (Array.isArray(members)) for (const member of members) findCollections(member, path, found);
  }
  for (const inner of ['items', 'additionalProperties'])
    if (fields[inner]) findCollections(fields[inner], `${path}[]`, found);
  return found;
}

/** The schemas of all request bodies, by the route. */
function requestBodies(): [string, unknown][] {
  const { paths = {}, components } = JSON.parse(JSON.stringify(describeApi(ROUTES)));
  const resolved = (schema: { $ref?: string }) =>
    schema.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  return ROUTES.filter(({ body }) => body).flatMap(({ method, path }) => {
    const { requestBody } = paths[path.replace(/:(\w+)/g, '{$1}')][method];
    const contents: { schema: { $ref?: string } }[] = Object.values(requestBody.content);
    return contents.map(({ schema }): [string, unknown] => [
      `${method.toUpperCase()} ${path}`,
      resolved(schema),
    ]);
  });
}

describe('a list or record in a request', () => {
  const collections = new Map(
    requestBodies().flatMap(([path, schema]) => [...findCollections(schema, path)]),
  );

  it('has a bound, which is checked before its elements', () => {
    expect([...collections.keys()]).toEqual(
      expect.arrayContaining([
        'POST /v2/scrape.formats',
        'POST /v2/scrape.formats[].selectors',
        'POST /v2/scrape.headers',
        'POST /v2/scrape.location.languages',
        'POST /v2/crawl.scrapeOptions.actions',
        'POST /v2/parse.options.parsers',
        'POST /v2/crawl.webhook.events',
        'POST /v2/feedback.pageNumbers',
      ]),
    );
    const unbounded = [...collections].filter(([, isBounded]) => !isBounded).map(([path]) => path);
    expect(unbounded).toEqual(AS_LONG_AS_A_BODY);
  });

  /** A body of a route with a long list of numbers in a field, none of which is valid. */
  const withNumbers = (field: string): Record<string, unknown> => {
    const [name = '', ...rest] = field.split('.');
    return { [name]: rest.length ? withNumbers(rest.join('.')) : Array(60_000).fill(-0.5) };
  };
  const lists = [...collections.keys()].filter((path) => !path.includes('[]') && !path.includes('formats.'));
  it.each(lists)('causes few issues if all its elements are wrong: %s', (path) => {
    const [, method = '', route = '', field = ''] = /^(POST|PATCH) ([^.]+)\.(.+)$/.exec(path) ?? [];
    const { body, fileOptions } = ROUTES.find(
      (each) => each.path === route && each.method === method.toLowerCase(),
    )!;
    const [, option] = /^options\.(.+)/.exec(field) ?? [];
    const parsed = (option ? fileOptions : body)?.safeParse(withNumbers(option ?? field));
    const paths = parsed?.error?.issues.map((issue) => issue.path.join('.')) ?? [];
    expect(paths.length).toBeLessThan(10);
    // The path to a list within alternatives ends before them, and that to the first wrong URL after its
    // list.
    const isAbout = (each: string) => each !== '' && `${option ?? field}.0`.startsWith(each);
    expect(paths.filter(isAbout)).toHaveLength(1);
  });

  it('of a viewer of a live view causes one issue, however long it is', () => {
    const touch = { type: 'touch', action: 'move', modifiers: 0, points: Array(1_000_000).fill(1) };
    const { error } = viewerMessage.safeParse(touch);
    expect(error?.issues.map(({ message }) => message)).toEqual([
      'must have at most 10 entries, but has 1000000',
    ]);
  });
});
