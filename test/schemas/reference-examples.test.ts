import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../src/api/reference/examples/index.ts';
import { describeApi } from '../../src/api/reference/openapi.ts';
import { ROUTES } from '../../src/api/routes.ts';

/** The examples of the API reference; `test/api/reference-examples.test.ts` sends them. */

/** It always responds with an error. */
const WITHOUT_RESPONSE = 'get /v2/agent/threads/:id';
const ROUTES_BY_NAME = new Map(ROUTES.map((route) => [`${route.method} ${route.path}`, route]));

it('there are examples of each route, and of no other', () => {
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(
    [...ROUTES_BY_NAME.keys()].filter((name) => name !== WITHOUT_RESPONSE).toSorted(),
  );
});

describe.each(Object.entries(EXAMPLES))('%s', (name, { requests = [], response }) => {
  const { body, needsFile, response: schema, method, path } = ROUTES_BY_NAME.get(name)!;

  it('has requests that are accepted, and a response with only the members that it has', () => {
    expect(requests.length > 0).toBe(body !== undefined && !needsFile);
    for (const each of requests) expect(body?.safeParse(each.body).error?.issues ?? []).toEqual([]);
    expect(schema.parse(response)).toEqual(response);
  });

  it('shows them in the reference', () => {
    const paths = JSON.parse(JSON.stringify(describeApi([ROUTES_BY_NAME.get(name)!]).paths));
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')][method];
    expect(operation.responses['200'].content['application/json'].example).toEqual(response);
    const shown = Object.values(operation.requestBody?.content['application/json']?.examples ?? {});
    expect(shown).toEqual(requests.map(({ summary, body: value }) => ({ summary, value })));
  });
});
