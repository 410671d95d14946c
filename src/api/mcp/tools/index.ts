import type { AnyTool } from '../tool.ts';
import { creditUsage, feedback, searchFeedback } from './account.ts';
import { agent, agentStatus, extract } from './agent.ts';
import { checkCrawlStatus, crawl } from './crawl.ts';
import { interact, interactStop } from './interact.ts';
import { map } from './map.ts';
import { monitorCreate } from './monitor-create.ts';
import * as monitors from './monitors.ts';
import { parse } from './parse.ts';
import { readMore } from './read-more.ts';
import { scrape } from './scrape.ts';
import { search } from './search.ts';

/** All tools, in the order in which clients list them. */
export const TOOLS: readonly AnyTool[] = [
  scrape,
  search,
  map,
  crawl,
  checkCrawlStatus,
  extract,
  agent,
  agentStatus,
  interact,
  interactStop,
  parse,
  readMore,
  monitorCreate,
  monitors.monitorList,
  monitors.monitorGet,
  monitors.monitorUpdate,
  monitors.monitorDelete,
  monitors.monitorRun,
  monitors.monitorChecks,
  monitors.monitorCheck,
  creditUsage,
  feedback,
  searchFeedback,
];
