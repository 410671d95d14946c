import { Firecrawl } from 'firecrawl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';

/** Extracts in a service without a language model, and what it says of features that need one. */

const service = useService();

let site: Pages;
beforeAll(async () => {
  site = await startPages({
    '/': '<title>Shop</title><main><h1>Lamps</h1><dl><dt>Price</dt><dd>42</dd><dt>Designer</dt><dd>Anna Berger</dd></dl></main>',
  });
});
afterAll(() => site[Symbol.asyncDispose]());

const SCHEMA = { type: 'object', properties: { designer: { type: 'string' }, price: { type: 'number' } } };

describe('without a language model', () => {
  it('an extract by schema works by rules and says so, also with the waiter of the official SDK', async () => {
    const client = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
    const result = await client.extract({
      urls: [`${site.url}/`],
      schema: SCHEMA,
      showSources: true,
      pollInterval: 1,
    });
    expect(result).toMatchObject({
      status: 'completed',
      data: { designer: 'Anna Berger', price: 42 },
      sources: { designer: [`${site.url}/`] },
      warning: expect.stringContaining('found by rules'),
    });
  });

  it('an extract warns of a schema of zod 4, which the SDK replaces by one that declares nothing', async () => {
    const client = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
    const schema = z.object({ designer: z.string() }) as unknown as Record<string, unknown>;
    const { warnings } = await client.startExtract({ urls: [`${site.url}/`], schema });
    expect(warnings).toEqual([
      expect.stringContaining('z.toJSONSchema(schema)'),
      expect.stringContaining('rules look for values'),
    ]);
  });

  it.each([
    ['/v2/agent', { prompt: 'Who designed the lamp?' }],
    ['/v2/extract', { prompt: 'Who designed the lamp?', urls: ['http://a.test'] }],
    ['/v2/extract', { prompt: 'Who designed the lamp?', schema: SCHEMA }],
  ])('%s answers 503 for %j and names the setting', async (path, body) => {
    const response = await call(path, { body });
    expect([response.status, response.body.code]).toEqual([503, 'MODEL_NOT_CONFIGURED']);
    expect(response.body.error).toContain('WINNOW_LLM_BASE_URL');
  });
});
