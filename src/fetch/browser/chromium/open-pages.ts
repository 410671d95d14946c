import { availableParallelism } from 'node:os';
import { fitInMemory } from '../../../system/memory.ts';
import { mostSlots } from './slots.ts';

/** What a page that loads takes, and the service without pages. */
const MEMORY = { eachMb: 128, besideMb: 768 };

/**
 * Maximum number of pages that a worker loads at once. Pages mostly wait for the network, so there are more
 * of them than processors, as far as the memory allows.
 */
export const MAX_LOADING_PAGES = fitInMemory(4 * availableParallelism(), MEMORY);

/**
 * Maximum number of pages that a worker has open at once: those that it loads, and those that have loaded and
 * are only watched for late changes, which costs next to nothing for most. The browser pool limits their
 * memory separately.
 */
export const MAX_OPEN_PAGES = Math.ceil(1.5 * MAX_LOADING_PAGES);

/** Maximum number of contexts of a browser: of its open pages, and those that it keeps between two pages. */
export const MAX_CONTEXTS = mostSlots(MAX_OPEN_PAGES) + MAX_OPEN_PAGES;
