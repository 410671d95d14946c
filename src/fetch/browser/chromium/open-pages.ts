import { availableParallelism } from 'node:os';

/**
 * Maximum number of pages that a worker loads at once. Pages mostly wait for the network, so there are more
 * of them than processors.
 */
export const MAX_LOADING_PAGES = 4 * availableParallelism();

/**
 * Maximum number of pages that a worker has open at once: those that it loads, and those that have loaded and
 * are only watched for late changes, which costs next to nothing for most. The browser pool limits their
 * memory separately.
 */
export const MAX_OPEN_PAGES = 6 * availableParallelism();
