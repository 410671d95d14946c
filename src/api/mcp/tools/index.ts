import type { AnyTool } from '../tool.ts';
import { scrape } from './scrape.ts';

/** All tools, in the order in which clients list them. */
export const TOOLS: readonly AnyTool[] = [scrape];
