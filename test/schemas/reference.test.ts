import { describe, expect, it } from 'vitest';
import { describeApi } from '../../src/api/reference/openapi.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { fieldsOf } from '../../src/json/json-object.ts';
import { WEBHOOK_EVENTS } from '../../src/schemas/webhook-events.ts';
import { describedResponse } from '../support/api/call.ts';

/** What the API reference says besides the schemas of bodies. */

interface Operation {
  operationId: string;
  tags: string[];
  deprecated?: boolean;
  parameters?: { in: string; name: string }[];
  responses: Record<string, { headers?: Record<string, unknown> }>;
}

const reference = JSON.parse(JSON.stringify(describeApi(ROUTES)));
const paths: Record<string, Record<string, Operation>> = reference.paths;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
);
const headersOf = ({ responses }: Operation, status: number) =>
  Object.keys(describedResponse(reference, responses[status]!).headers ?? {});

describe('the reference', () => {
  it('names each operation by its method and path, and no two alike', () => {
    const webhooks = Object.values<Record<string, Operation>>(reference.webhooks).flatMap(Object.values);
    const ids = [...operations, ...webhooks].map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z\d]*$/.test(id))).toEqual([]);
    expect(ids).toEqual(
      expect.arrayContaining(['postScrape', 'getCrawlByIdErrors', 'postBatchScrape', 'onBatchScrapePage']),
    );
  });

  it('describes each group of operations, and no other', () => {
    const described = reference.tags.map(({ name }: { name: string }) => name);
    const used = new Set(operations.flatMap(({ tags }) => tags));
    expect(described.toSorted()).toEqual([...used].toSorted());
  });

  it('has each error response once', () => {
    const errors = operations.flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, response]) => (Number(status) < 400 ? [] : [response])),
    );
    const ofOne = errors.filter((response) => !('$ref' in response)).map((each) => JSON.stringify(each));
    expect(ofOne).toHaveLength(new Set(ofOne).size);
    const shared = errors.filter((response) => '$ref' in response);
    expect(new Set(shared.map((response) => describedResponse(reference, response)))).toEqual(
      new Set(Object.values(reference.components.responses)),
    );
  });

  it('says where the service is', () => {
    expect(reference.servers.map(({ url }: { url: string }) => url)).toEqual(['/', 'http://localhost:3002']);
  });

  it('has the idempotency key of every request that starts a job, and of no other', () => {
    const withKey = operations.filter(({ parameters = [] }) =>
      parameters.some(({ in: place, name }) => place === 'header' && name === 'x-idempotency-key'),
    );
    expect(withKey.map(({ name }) => name)).toEqual([
      'post /v2/batch/scrape',
      'post /v2/crawl',
      'post /v2/extract',
      'post /v2/agent',
      'post /v2/browser',
      'post /v2/interact',
      'post /v2/monitor',
    ]);
  });

  it('has the statuses of uploads that are too slow, too many or too large', () => {
    const upload = paths['/v2/parse/upload/{token}']?.put;
    expect(Object.keys(upload?.responses ?? {})).toEqual(expect.arrayContaining(['408', '413', '429']));
    const toSession = paths['/v2/browser/{id}/cdp/{secret}/files']?.post;
    expect(Object.keys(toSession?.responses ?? {})).toEqual(
      expect.arrayContaining(['408', '410', '413', '429']),
    );
  });

  it.each(operations)('tells the headers of errors of $name', (operation) => {
    expect(headersOf(operation, 405)).toContain('Allow');
    for (const status of [408, 429, 503].filter((each) => operation.responses[each]))
      expect(headersOf(operation, status)).toContain('Retry-After');
    for (const status of Object.keys(operation.responses))
      expect(headersOf(operation, Number(status)).includes('Deprecation')).toBe(
        operation.deprecated === true,
      );
  });

  it('has the body of each event of webhooks', () => {
    expect(Object.keys(reference.webhooks).toSorted()).toEqual(
      [
        ...['crawl.started', 'crawl.page', 'crawl.completed', 'crawl.failed'],
        ...['batch_scrape.started', 'batch_scrape.page', 'batch_scrape.completed', 'batch_scrape.failed'],
        ...['extract.started', 'extract.completed', 'extract.failed'],
        ...['agent.started', 'agent.action', 'agent.completed', 'agent.failed', 'agent.cancelled'],
        ...['monitor.page', 'monitor.check.completed'],
      ].toSorted(),
    );
    for (const { type } of WEBHOOK_EVENTS) {
      const { schema } = reference.webhooks[type].post.requestBody.content['application/json'];
      expect(fieldsOf(schema.properties.type).const).toBe(type);
      expect(schema.required).toEqual(['success', 'type', 'id', 'webhookId', 'data']);
    }
  });
});
