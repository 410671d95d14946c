import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../../../src/api/mcp/cursor.ts';
import type { RouteCall } from '../../../src/api/mcp/route-call.ts';
import { inputSchemaOf, outputSchemaOf } from '../../../src/api/mcp/tool-schemas.ts';
import { TOOLS } from '../../../src/api/mcp/tools/index.ts';
import { exampleBody } from '../../../src/api/validation/examples.ts';
import { validate } from '../../../src/api/validation/validate.ts';
import { fieldsOf } from '../../../src/json/json-object.ts';
import { updateMonitorBody } from '../../../src/schemas/monitor.ts';
import { callerFields } from '../../../src/schemas/scrape-options.ts';

/** The tools that prompts written for this API name, with the parameters that they give them. */
const KNOWN: Record<string, string> = {
  firecrawl_scrape:
    'url formats jsonOptions queryOptions screenshotOptions parsers pdfOptions onlyMainContent redactPII includeTags excludeTags waitFor actions mobile skipTlsVerification removeBase64Images location storeInCache maxAge lockdown proxy profile timeout',
  firecrawl_map: 'url search sitemap includeSubdomains limit ignoreQueryParameters',
  firecrawl_search:
    'query highlights limit tbs location includeDomains excludeDomains sources categories enterprise scrapeOptions',
  firecrawl_crawl:
    'url prompt excludePaths includePaths maxDiscoveryDepth sitemap limit allowExternalLinks allowSubdomains crawlEntireDomain delay maxConcurrency webhook webhookHeaders deduplicateSimilarURLs ignoreQueryParameters scrapeOptions',
  firecrawl_check_crawl_status: 'id',
  firecrawl_extract: 'urls prompt schema allowExternalLinks enableWebSearch includeSubdomains',
  firecrawl_agent: 'prompt urls schema effort maxCredits strictConstrainToURLs',
  firecrawl_agent_status: 'id',
  firecrawl_interact: 'scrapeId url prompt code language timeout scrapeOptions',
  firecrawl_interact_stop: 'scrapeId',
  firecrawl_parse:
    'filePath uploadRef contentType declaredSizeBytes formats jsonOptions queryOptions parsers pdfOptions onlyMainContent redactPII includeTags excludeTags removeBase64Images',
  firecrawl_monitor_create:
    'body page pages queries searchWindow maxResults includeDomains excludeDomains goal name scheduleText timezone email includeDiffs webhookUrl',
  firecrawl_monitor_list: 'limit offset',
  firecrawl_monitor_get: 'id',
  firecrawl_monitor_update: 'id body',
  firecrawl_monitor_delete: 'id',
  firecrawl_monitor_run: 'id',
  firecrawl_monitor_checks: 'id limit offset status',
  firecrawl_monitor_check: 'id checkId limit skip pageStatus',
  firecrawl_credit_usage: 'view byApiKey',
  firecrawl_feedback:
    'endpoint jobId rating issues tags note valuableSources missingContent querySuggestions url pageNumbers metadata',
  firecrawl_search_feedback: 'searchId rating valuableSources missingContent querySuggestions',
};

const SOME_ID = '550e8400-e29b-41d4-a716-446655440000';
/** Arguments of tools that need one of several. */
const NEEDED: Record<string, object> = {
  firecrawl_interact: { scrapeId: SOME_ID, code: '1' },
  firecrawl_monitor_create: { page: 'https://a.test' },
  firecrawl_parse: { filePath: 'a.pdf' },
  firecrawl_read_more: { cursor: encodeCursor({ path: '/v2/map/:id', params: { id: SOME_ID }, from: 1 }) },
};

const toolOf = (name: string) => TOOLS.find((tool) => tool.name === name);

describe('the tools of the Model Context Protocol', () => {
  it.each(Object.entries(KNOWN))(
    'include %s with the parameters that prompts give it',
    (name, parameters) => {
      const tool = toolOf(name);
      const known = tool ? Object.keys(inputSchemaOf(tool.input).properties ?? {}) : [];
      expect(parameters.split(' ').filter((each) => !known.includes(each))).toEqual([]);
    },
  );

  it.each(TOOLS)(
    'describe $name, its parameters and its result for models',
    ({ input, output, description, title }) => {
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(title).not.toBe('');
      const schema = inputSchemaOf(input);
      expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) });
      expect(JSON.stringify(schema)).not.toContain('$ref');
      expect(JSON.stringify(outputSchemaOf(output))).not.toMatch(/"(?:\$ref|required|additionalProperties)"/);
    },
  );

  it('say which of them delete something, and which only read', () => {
    const named = (hint: 'destructive' | 'readOnly') =>
      TOOLS.filter(({ hints }) => hints[hint]).map(({ name }) => name.replace('firecrawl_', ''));
    expect(named('destructive')).toEqual(['interact_stop', 'monitor_update', 'monitor_delete']);
    expect(named('readOnly')).toEqual([
      ...['check_crawl_status', 'agent_status', 'read_more', 'monitor_list', 'monitor_get'],
      ...['monitor_checks', 'monitor_check', 'credit_usage'],
    ]);
  });

  it('can read on where a result that is read is too long, except for credits, which are few', () => {
    const wholes = TOOLS.filter(({ hints, readAgain }) => hints.readOnly && !readAgain);
    expect(wholes.map(({ name }) => name)).toEqual(['firecrawl_credit_usage']);
  });

  it('name each member of a monitor that can be changed', () => {
    const { description } = toolOf('firecrawl_monitor_update') ?? {};
    // Those of the caller say nothing about the monitor.
    const members = Object.keys(updateMonitorBody.shape).filter((name) => !(name in callerFields));
    expect(members.filter((name) => !new RegExp(`\\b${name}\\b`).test(description ?? ''))).toEqual([]);
  });

  it('describe the mails of monitors as the service sends them', () => {
    const { properties } = inputSchemaOf(toolOf('firecrawl_monitor_create')!.input);
    expect(fieldsOf(fieldsOf(properties).email).description).toMatch(/gets mails.*mail server/);
  });

  it.each(TOOLS)(
    '$name leaves no argument out of account that it does not know',
    async ({ name, input, run }) => {
      const args = { ...(exampleBody(input) as object), ...NEEDED[name], unheard: 'of' };
      const { error } = input.safeParse(args);
      const sent: RouteCall[] = [];
      const call = async (each: RouteCall) => {
        sent.push(each);
        return { success: true, id: SOME_ID, data: { metadata: { scrapeId: SOME_ID } } };
      };
      const refused =
        error ??
        (await run(args, { call }).then(
          () => undefined,
          (thrown) => thrown,
        ));
      const passedOn = sent.some(({ body, query }) => 'unheard' in { ...fieldsOf(body), ...query });
      expect(passedOn || String(refused?.message)).toEqual(passedOn || expect.stringContaining('unheard'));
    },
  );

  it.each([
    [
      'firecrawl_monitor_create',
      { body: { name: 'x' }, goal: 'prices' },
      /body is the whole request, in place of goal/,
    ],
    [
      'firecrawl_monitor_create',
      { page: 'https://a.test', queries: ['tea'] },
      /in place of pages\. Create two/,
    ],
    [
      'firecrawl_monitor_create',
      { page: 'https://a.test', maxResults: 3 },
      /maxResults has no effect without queries/,
    ],
    ['firecrawl_monitor_create', { page: 'https://a.test', includeDiffs: true }, /without email/],
    [
      'firecrawl_crawl',
      { url: 'https://a.test', webhookHeaders: { a: 'b' } },
      /have no effect without webhook/,
    ],
    [
      'firecrawl_monitor_create',
      { url: 'https://a.test', interval: '1h' },
      /url: Use page: "https:\/\/a\.test"\. interval: Use scheduleText: "hourly"/,
    ],
    ['firecrawl_interact', { scrapeId: SOME_ID, code: '1', scrapeOptions: {} }, /Leave scrapeOptions out/],
    ['firecrawl_parse', { filePath: 'a.pdf', formats: ['markdwn'] }, /unknown format "markdwn"/],
  ])('%s with %j says which argument has no effect', async (name, args, message) => {
    const call = async () => expect.unreachable('nothing is sent');
    const run = async () => {
      const tool = toolOf(name)!;
      validate(tool.input, args, 'body');
      return tool.run(args, { call });
    };
    await expect(run()).rejects.toThrow(message);
  });

  it('take little of the context of a model', () => {
    const listed = TOOLS.map(({ description, input }) => ({ description, input: inputSchemaOf(input) }));
    expect(JSON.stringify(listed).length).toBeLessThan(45_000);
  });
});

/** The places in a JSON Schema whose list or record may have any number of elements with a schema of their own. */
function unboundedIn(schema: unknown, path: string): string[] {
  const { type, maxItems, additionalProperties, maxProperties } = fieldsOf(schema);
  const isUnboundedList = type === 'array' && maxItems === undefined;
  const isUnboundedRecord =
    Object.keys(fieldsOf(additionalProperties)).length > 0 && maxProperties === undefined;
  // That of a choice is in a list.
  const parts = typeof schema === 'object' && schema !== null ? Object.entries(schema) : [];
  const below = parts.flatMap(([name, each]) => unboundedIn(each, `${path}.${name}`));
  return isUnboundedList || isUnboundedRecord ? [path, ...below] : below;
}

it.each(TOOLS)(
  '$name bounds each list of its parameters, because each wrong element of it takes time',
  (tool) => {
    expect(unboundedIn(inputSchemaOf(tool.input), tool.name)).toEqual([]);
  },
);
