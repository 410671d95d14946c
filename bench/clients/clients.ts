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
];
