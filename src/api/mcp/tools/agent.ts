import { agentBody, agentStatusResponse, startAgentResponse } from '../../../schemas/agent.ts';
import { extractBody, extractStatusResponse } from '../../../schemas/extract.ts';
import { agentJob, extractJob, readRun, readRunAgain } from '../jobs.ts';
import { defineTool } from '../tool.ts';
import { idParameter, loosely } from './parameters.ts';

/** Extracts data from pages. */
export const extract = defineTool({
  name: 'firecrawl_extract',
  title: 'Extract data',
  description:
    'Reads up to ten pages and returns their data as one JSON object in the form of a schema or prompt. For one page use firecrawl_scrape with the format json, for pages that are not known firecrawl_agent. One that takes long returns its id while it goes on; firecrawl_agent_status then has the result.',
  input: loosely(extractBody, [
    ...(['urls', 'prompt', 'schema', 'allowExternalLinks', 'enableWebSearch', 'includeSubdomains'] as const),
  ]),
  output: extractStatusResponse,
  hints: { openWorld: true },
  starts: extractJob,
  readAgain: readRunAgain,
  run: (body, { call }) => call({ method: 'post', path: '/v2/extract', body }),
});

/** Starts an agent. */
export const agent = defineTool({
  name: 'firecrawl_agent',
  title: 'Start an agent',
  description:
    'Starts an agent that finds data on the web by itself: it searches, opens pages and returns JSON with what the prompt asks for. Returns its id at once, because it works for minutes; read the result with firecrawl_agent_status.',
  input: loosely(agentBody, [
    ...(['prompt', 'urls', 'schema', 'effort', 'maxCredits', 'strictConstrainToURLs'] as const),
  ]),
  output: startAgentResponse,
  hints: { openWorld: true },
  starts: agentJob,
  run: (body, { call }) => call({ method: 'post', path: '/v2/agent', body }),
});

/** Reads the state of an agent or extract. */
export const agentStatus = defineTool({
  name: 'firecrawl_agent_status',
  title: 'Check an agent',
  description:
    'Returns the state of an agent or extract by its id, and the data once it is completed. While it is processing, ask again after 15 to 30 seconds.',
  input: idParameter('the agent or extract'),
  output: agentStatusResponse,
  hints: { readOnly: true },
  readAgain: readRunAgain,
  run: ({ id }, { call }) => readRun(id, call),
});
