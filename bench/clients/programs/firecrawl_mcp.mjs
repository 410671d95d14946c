/** Calls every tool of the MCP server, which is started as clients start it. */

import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { announce, given, refused, step, until } from './steps.mjs';

const client = new Client({ name: 'a client', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [path.join(import.meta.dirname, 'node_modules/firecrawl-mcp/dist/index.js')],
    env: { ...process.env, FIRECRAWL_API_URL: given.url, FIRECRAWL_API_KEY: given.key },
  }),
);
const { tools } = await client.listTools();
announce(tools.map(({ name }) => name));

/** The text of a result. Rejects if it says that it is an error. */
async function call(name, input) {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const text = content.map((part) => part.text).join('\n');
  if (isError) throw new Error(text);
  return text;
}
const tool = (name, input, ...texts) => step(name, () => call(name, input), ...texts);
const refuse = (name, input, text = 'not available') => refused(name, () => call(name, input), text);
const { page, site, schema } = given;

const scraped = JSON.parse(await tool('firecrawl_scrape', { url: page, formats: ['markdown'] }, 'noon'));
const job = (scraped.data ?? scraped).metadata.scrapeId;
await tool('firecrawl_map', { url: site }, '/lamp');
const found = await tool('firecrawl_search', { query: given.query }, page);
const started = await tool('firecrawl_crawl', { url: site, limit: 3 });
const idIn = (text) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0];
await tool('firecrawl_check_crawl_status', { id: idIn(started) }, 'status');
await refuse('firecrawl_extract', { urls: [page], schema }, 'deprecated');
const agent = await tool('firecrawl_agent', { prompt: 'When does it depart?', urls: [page], schema });
await step(
  'firecrawl_agent_status',
  () =>
    until(
      (text) => !text.includes('processing'),
      () => call('firecrawl_agent_status', { id: idIn(agent) }),
    ),
  'noon',
);
await tool('firecrawl_interact', { scrapeId: job, code: 'await page.title()' }, 'Ferries');
await tool('firecrawl_interact_stop', { scrapeId: job });
await tool('firecrawl_parse', { filePath: given.file, formats: ['markdown'] }, 'noon');
await tool('firecrawl_feedback', { endpoint: 'scrape', jobId: job, rating: 'bad', note: 'short' });
await tool('firecrawl_search_feedback', {
  ...{ searchId: idIn(found), rating: 'bad', querySuggestions: 'pier' },
  missingContent: [{ topic: 'pier' }],
});
await tool('firecrawl_credit_usage', {}, 'redits');
const monitor = idIn(
  await tool('firecrawl_monitor_create', {
    body: { name: 'Ferries', schedule: { text: 'hourly' }, targets: [{ type: 'scrape', urls: [page] }] },
  }),
);
await tool('firecrawl_monitor_list', {}, monitor);
await tool('firecrawl_monitor_get', { id: monitor }, 'Ferries');
await tool('firecrawl_monitor_update', { id: monitor, body: { status: 'paused' } }, 'paused');
const check = JSON.parse(await tool('firecrawl_monitor_run', { id: monitor }));
const checkId = (check.data ?? check).id;
await tool('firecrawl_monitor_checks', { id: monitor }, checkId);
await tool('firecrawl_monitor_check', { id: monitor, checkId }, checkId);
await tool('firecrawl_monitor_delete', { id: monitor });
await refuse('firecrawl_find_tools', {}, 'not enabled');
await refuse('firecrawl_developer_search', { query: 'node' });
await refuse('firecrawl_research_search_papers', { query: 'ferries' });
const paperId = 'pmid:1';
await refuse('firecrawl_research_inspect_paper', { paperId });
await refuse('firecrawl_research_related_papers', { seed_ids: [paperId], intent: 'ferries' });
await refuse('firecrawl_research_read_paper', { paperId, question: 'ferries' });
await refuse('firecrawl_research_search_github', { query: 'ferries' }, 'deprecated');
await client.close();
