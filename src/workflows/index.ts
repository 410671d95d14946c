export { batch } from './batch.ts';
export { crawl } from './crawl.ts';
export { scrape } from './scrape.ts';
export { deliver } from './webhooks.ts';
