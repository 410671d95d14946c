export { scrape } from './scrape.ts';
