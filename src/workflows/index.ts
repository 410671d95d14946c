export { batch } from './batch.ts';
export { crawl } from './crawl.ts';
export { map } from './map.ts';
export { scrape } from './scrape.ts';
export { browser } from './session.ts';
export { upkeep } from './upkeep.ts';
export { deliver } from './webhooks.ts';
