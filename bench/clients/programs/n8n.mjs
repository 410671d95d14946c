/** Executes the operations of n8n's node under n8n's own core, with the defaults that its form shows. */

import 'reflect-metadata';
import { createRequire } from 'node:module';
import { announce, given, step, until } from './steps.mjs';

const load = createRequire(import.meta.url);
const { ExecuteContext, RoutingNode } = load('n8n-core');
const { NodeHelpers, Workflow } = load('n8n-workflow');
const { Firecrawl } = load('@mendable/n8n-nodes-firecrawl/dist/nodes/Firecrawl/Firecrawl.node.js');
const { FirecrawlApi } = load('@mendable/n8n-nodes-firecrawl/dist/credentials/FirecrawlApi.credentials.js');

const type = new Firecrawl();
const credential = new FirecrawlApi();
const data = { apiKey: given.key, baseUrl: `${given.url}/v2` };
const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type };

/** Executes an operation. Returns the JSON of its items. */
async function execute(resource, operation, values) {
  const node = {
    ...{ id: '1', name: 'Firecrawl', type: 'firecrawl', typeVersion: 1, position: [0, 0] },
    parameters: { resource, operation, ...values },
    credentials: { firecrawlApi: { id: '1', name: 'Winnow' } },
  };
  // What a form has before a person changes it.
  node.parameters = NodeHelpers.getNodeParameters(
    type.description.properties,
    node.parameters,
    true,
    false,
    node,
    type.description,
  );
  const workflow = new Workflow({
    ...{ id: '1', nodes: [node], connections: {}, active: false, nodeTypes, settings: {}, staticData: {} },
  });
  const additionalData = {
    credentialsHelper: {
      isCredentialUsableByNode: async () => true,
      getDecrypted: async () => data,
      getParentTypes: () => [],
      getCredentialsProperties: () => credential.properties,
      preAuthentication: async () => undefined,
      authenticate: async (_data, _name, request) => ({
        ...request,
        headers: { ...request.headers, Authorization: `Bearer ${data.apiKey}` },
      }),
    },
    restApiUrl: '',
    instanceBaseUrl: '',
    hooks: undefined,
    currentNodeParameters: node.parameters,
    variables: {},
  };
  const items = [{ json: {} }];
  const context = new ExecuteContext(
    ...[workflow, node, additionalData, 'manual'],
    { resultData: { runData: {} } },
    ...[0, items, { main: [items] }, { node, data: { main: [items] }, source: null }, []],
  );
  const [result] = (await new RoutingNode(context, type).runNode()) ?? [];
  const failed = result?.find(({ error }) => error);
  if (failed) throw failed.error;
  return result?.map(({ json }) => json);
}
/** The lists of operations, one for each resource; properties of that name without options are notes of the form. */
const lists = type.description.properties.filter(({ name, options }) => name === 'operation' && options);
const operations = lists.flatMap(({ options }) => options.map(({ value }) => value));
announce(operations);
const use = (operation, values, ...texts) =>
  step(operation, () => execute(resourceOf(operation), operation, values), ...texts);

/** The resource of an operation, by which n8n shows it. */
function resourceOf(operation) {
  const list = lists.find(({ options }) => options.some(({ value }) => value === operation));
  return list.displayOptions.show.resource[0];
}
const { page, site } = given;
const idOf = (items) => JSON.stringify(items).match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/)?.[0] ?? '';
const isOver = (items) => !/"status":"(?:scraping|processing)"/.test(JSON.stringify(items));
/** Reads the state of a job until it has ended. */
const useUntil = (operation, values, ...texts) =>
  step(operation, () => until(isOver, () => execute(resourceOf(operation), operation, values)), ...texts);

const scraped = await use('scrape', { url: page }, 'noon');
const job = scraped[0].data.metadata.scrapeId;
const batch = idOf(await use('batchScrape', { urls: given.pages.join(',') }, '"id"'));
await useUntil('batchScrapeStatus', { batchId: batch }, 'noon');
await use('batchScrapeErrors', { batchId: batch }, '"errors":[]');
const slow = idOf(
  await execute('Scraping', 'batchScrape', { urls: Array(20).fill(given.slowPage).join(',') }),
);
await use('cancelBatchScrape', { batchId: slow }, 'cancelled');
const crawl = idOf(await use('crawl', { url: site, limit: 3 }, '"id"'));
await useUntil('getCrawlStatus', { crawlId: crawl }, 'noon');
await use('getCrawlErrors', { crawlId: crawl }, '"errors":[]');
await use('crawlParamsPreview', { url: site, prompt: 'only pages below /lamp' }, '"success":true');
const running = idOf(await execute('Crawling', 'crawl', { url: site, limit: 50, delay: 5 }));
await use('crawlActive', {}, running);
await use('cancelCrawl', { crawlId: running }, 'cancelled');
await use('map', { url: site }, '/lamp');
await use('search', { query: given.query }, page);
const question = { prompt: 'When does it depart?', specifyUrls: true, urls: page };
await use('agent', question, 'noon');
const agent = idOf(await use('agentAsync', question, '"id"'));
await useUntil('getAgentStatus', { agentId: agent }, 'noon');
const extract = idOf(
  await use('extract', { urls: { items: [{ url: page }] }, schema: JSON.stringify(given.schema) }, '"id"'),
);
await useUntil('getExtractStatus', { extractId: extract }, 'noon');
await use('browserContext', {});
const session = idOf(await use('browserCreate', {}, 'cdpUrl'));
await use('browserExecute', { sessionId: session, code: 'console.log(6 * 7)' }, '42');
await use('browserList', {}, session);
await use('browserDelete', { sessionId: session }, '"success":true');
await use('interactContext', {});
await use('interact', { scrapeId: job, interactMode: 'code', code: 'await page.title()' }, 'Ferries');
await use('interactStop', { scrapeId: job }, '"success":true');
await use('teamCreditUsage', {}, 'remainingCredits');
await use('creditUsageHistorical', {}, 'periods');
await use('teamTokenUsage', {}, 'remainingTokens');
await use('teamTokenUsageHistorical', {}, 'periods');
await use('teamQueueStatus', {}, 'maxConcurrency');
