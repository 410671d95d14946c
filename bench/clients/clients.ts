import { FROM_NPM, FROM_PYPI, type Packages } from './packages.ts';

/** A program of the ecosystem, in the release that is known. */
export interface Client {
  name: string;
  version: string;
  /** What is installed to run it. */
  packages: Packages;
  /** The file in `programs/` that calls its methods. */
  program: string;
  /** What a user sets, for the table. */
  set: string;
  /** Methods that fail by a fault of the client itself, each with the fault. The benchmark checks that they still fail. */
  faults?: Record<string, string>;
}

/** What the client for asyncio does wrongly with a response. */
const ASYNC_RESPONSE = 'reads `ok` of a response, which has no such attribute';

/** Why a method that Winnow refuses does not say so. */
const STATUS_ONLY = 'is refused, of which it shows only the status';

/** All clients, in the order of the table. */
export const CLIENTS: Client[] = [
  {
    name: 'firecrawl (JavaScript)',
    version: '4.42.0',
    packages: FROM_NPM('firecrawl@4.42.0'),
    program: 'firecrawl.mjs',
    set: '`apiUrl`',
  },
  {
    name: 'firecrawl-py',
    version: '4.55.0',
    packages: FROM_PYPI('firecrawl-py==4.55.0'),
    program: 'firecrawl_py.py',
    set: '`api_url`',
    faults: {
      'async list_agents': ASYNC_RESPONSE,
      'async get_agent_thread': ASYNC_RESPONSE,
    },
  },
  {
    name: 'firecrawl 1 (JavaScript)',
    version: '1.29.3',
    packages: FROM_NPM('firecrawl@1.29.3'),
    program: 'firecrawl_1.mjs',
    set: '`apiUrl`',
  },
  {
    name: 'firecrawl-py 2',
    version: '2.16.5',
    packages: FROM_PYPI('firecrawl-py==2.16.5'),
    program: 'firecrawl_py_2.py',
    set: '`api_url`',
    faults: {
      async_generate_llms_text: 'the refusal is lost, because the client reads its own error wrongly',
      generate_llms_text: 'the same',
      'async async_batch_scrape_urls':
        'starts the batch, but reads the response wrongly; the client without asyncio does both',
      'async async_extract': 'reads its own response as a request; `extract` works',
      'async batch_scrape_urls_and_watch': 'calls its own method with other parameters',
      'async check_batch_scrape_status': 'unpacks its own response wrongly',
      'async crawl_url_and_watch': 'has not the parameters of the crawl',
    },
  },
  {
    name: 'firecrawl-py 1',
    version: '1.17.0',
    packages: FROM_PYPI('firecrawl-py==1.17.0', 'websockets==13.1'),
    program: 'firecrawl_py_1.py',
    set: '`api_url`; its watchers need `websockets` 13',
  },
  {
    name: 'firecrawl-cli',
    version: '1.23.3',
    packages: FROM_NPM('firecrawl-cli@1.23.3'),
    program: 'firecrawl_cli.mjs',
    set: '`FIRECRAWL_API_URL`, `FIRECRAWL_API_KEY`',
    faults: {
      developer: STATUS_ONLY,
      'research search-papers': STATUS_ONLY,
    },
  },
  {
    name: 'firecrawl-mcp',
    version: '3.26.0',
    packages: FROM_NPM('firecrawl-mcp@3.26.0'),
    program: 'firecrawl_mcp.mjs',
    set: '`FIRECRAWL_API_URL`, `FIRECRAWL_API_KEY`',
    faults: {
      firecrawl_find_tools: 'is refused, which its own output schema does not allow for',
      firecrawl_developer_search: STATUS_ONLY,
      firecrawl_research_search_papers: STATUS_ONLY,
      firecrawl_research_inspect_paper: STATUS_ONLY,
      firecrawl_research_related_papers: STATUS_ONLY,
      firecrawl_research_read_paper: STATUS_ONLY,
    },
  },
  {
    name: 'firecrawl-aisdk',
    version: '0.12.0',
    packages: FROM_NPM('firecrawl-aisdk@0.12.0'),
    program: 'firecrawl_aisdk.mjs',
    set: '`FIRECRAWL_API_URL`, `FIRECRAWL_API_KEY`',
  },
  {
    name: '@agentic/firecrawl',
    version: '7.6.9',
    packages: FROM_NPM('@agentic/firecrawl@7.6.9'),
    program: 'agentic.mjs',
    set: '`apiBaseUrl`',
  },
  {
    name: 'langchain-community (Python)',
    version: '0.4.2',
    packages: FROM_PYPI('langchain-community==0.4.2', 'langchain-firecrawl==0.1.0'),
    program: 'use_langchain_community.py',
    set: '`api_url`',
  },
  {
    name: 'langchain-firecrawl (Python)',
    version: '0.1.0',
    packages: FROM_PYPI('langchain-community==0.4.2', 'langchain-firecrawl==0.1.0'),
    program: 'use_langchain_firecrawl.py',
    set: '`api_url`, or `FIRECRAWL_API_URL`',
  },
  {
    name: '@langchain/community',
    version: '1.1.29',
    packages: FROM_NPM(
      '@langchain/community@1.1.29',
      '@langchain/core@1.4.0',
      '@mendable/firecrawl-js@1.29.3',
    ),
    program: 'langchain_community.mjs',
    set: '`apiUrl`, and `@mendable/firecrawl-js` 1.29, because the loader does not read responses of 4',
  },
  {
    name: 'llama-index-readers-web',
    version: '0.7.0',
    packages: FROM_PYPI('llama-index-readers-web==0.7.0', 'firecrawl-py==4.55.0'),
    program: 'use_llama_index.py',
    set: '`api_url`',
  },
  {
    name: 'agno',
    version: '3.1.10',
    packages: FROM_PYPI('agno==3.1.10', 'firecrawl-py==4.55.0'),
    program: 'use_agno.py',
    set: '`api_url`',
  },
  {
    name: 'camel-ai',
    version: '0.2.90',
    packages: FROM_PYPI('camel-ai==0.2.90', 'firecrawl-py==4.55.0'),
    program: 'use_camel.py',
    set: '`api_url`, or `FIRECRAWL_API_URL`',
    faults: {
      structured_scrape: 'calls the SDK with a parameter that it has not had since version 2',
    },
  },
  {
    name: 'LibreChat (@librechat/agents)',
    version: '3.9.2',
    packages: FROM_NPM('@librechat/agents@3.9.2'),
    program: 'librechat.mjs',
    set: '`FIRECRAWL_API_URL` without `/v2`',
  },
  {
    name: 'Open WebUI',
    version: '0.12.4',
    packages: {
      ...FROM_PYPI('langchain-core==1.8.3', 'requests==2.34.2'),
      alone: ['open-webui==0.12.4'],
    },
    program: 'use_open_webui.py',
    set: '`FIRECRAWL_API_BASE_URL`, `FIRECRAWL_API_KEY`',
  },
  {
    name: 'n8n (@mendable/n8n-nodes-firecrawl)',
    version: '2.1.2',
    packages: FROM_NPM('n8n-core@2.41.1', 'n8n-workflow@2.41.0', '@mendable/n8n-nodes-firecrawl@2.1.2'),
    program: 'n8n.mjs',
    set: 'Base URL with `/v2`',
    faults: { crawlParamsPreview: 'asks by GET, but the path takes POST' },
  },
];
