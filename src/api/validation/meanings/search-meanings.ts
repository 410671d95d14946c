import { adviseOnPeriod } from '../search-period.ts';
import { json, type Meanings, textOr } from './meaning.ts';

/** Options of searches and maps. */
export const SEARCH_MEANINGS: readonly Meanings[] = [
  {
    beside: 'tbs',
    advice: {
      'page number|index|num': 'Leave it out: all results come at once. Use limit for more of them.',
      limit: 'Use limit.',
      'answer|summary|stream':
        'Leave it out: a search returns results, no answer. With scrapeOptions: {"formats": ["summary"]}, each result has a summary.',
      'date|day|time|period|published|recent|fresh|age|start|end': adviseOnPeriod,
      'content|raw|text|full|markdown|html|scrape|crawl|livecrawl|screenshot|fetch':
        'Use scrapeOptions: {"formats": ["markdown"]}, which adds the content of each result.',
      'search type|kind|vertical': 'Use sources: ["web"], ["news"] or ["images"].',
      '=news|new|include|only|get': 'Use sources: ["news"].',
      '=image|include|only|get': 'Use sources: ["images"].',
      'chunk|parameter|auto':
        'Leave it out: a search has no such option. limit, sources and scrapeOptions choose what comes.',
      'engine|provider|depth|mode|neural|rerank|autoprompt|sort|order':
        'Leave it out: the operator chooses the search engine, and results come in its order.',
      '=query|string|text|phrase|user': 'Use query.',
    },
  },
  {
    beside: 'filterByPath',
    advice: {
      limit: 'Use limit.',
      'exclude path|url|pattern|glob|regex|match':
        'Use excludePaths, a list of regular expressions for paths, such as ["^/blog/"].',
      'path|pattern|glob|regex|match':
        'Use includePaths, a list of regular expressions for paths, such as ["^/blog/"], or search, words that come first.',
      query: 'Use search.',
      'sort|order':
        'Leave it out: URLs come in the order in which they are found, or with search those that fit best first.',
    },
  },
  {
    beside: 'excludeDomains',
    advice: {
      'exclude domain|site|host|url': 'Use excludeDomains: ["example.com"].',
    },
  },
  {
    beside: 'includeDomains',
    advice: {
      'domain|site|host': 'Use includeDomains: ["example.com"].',
    },
  },
  {
    beside: 'safe',
    advice: {
      'safe|safesearch|adult|moderation': 'Use safe: true.',
    },
  },
  {
    beside: 'country',
    advice: {
      country: (value) => `Use country: ${json(textOr(value, 'DE').toUpperCase())}.`,
    },
  },
  {
    beside: 'lang',
    advice: {
      language: (value) => `Use lang: ${json(textOr(value, 'de').replace('_', '-'))}.`,
    },
  },
  {
    beside: 'sources',
    advice: {
      'topic|vertical|source|channel|image|news|tbm': 'Use sources: ["web"], ["news"] or ["images"].',
    },
  },
  {
    beside: 'categories',
    advice: {
      'category|type':
        'Use sources: ["web"], ["news"] or ["images"], or categories: ["github"], ["research"], ["pdf"] or ["developer"].',
    },
  },
  {
    beside: 'ignoreCache',
    advice: {
      'cache|fresh|refresh': 'Use ignoreCache: true.',
    },
  },
  {
    beside: 'includeSubdomains',
    advice: {
      subdomain: 'Use includeSubdomains, which is true or false.',
    },
  },
];
