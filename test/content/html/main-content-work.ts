import { findBoilerplate } from '../../../src/content/html/main-content/index.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';

/**
 * Measures the work of the main-content filter on a page, independently of the machine: how often it looks
 * into the maps and sets that hold all it knows of the page.
 */
export function countWork(html: string): number {
  const page = parseHtml(html);
  const { get } = Map.prototype;
  const { has } = Set.prototype;
  let lookups = 0;
  Map.prototype.get = function (key) {
    lookups++;
    return get.call(this, key);
  };
  Set.prototype.has = function (value) {
    lookups++;
    return has.call(this, value);
  };
  try {
    findBoilerplate(page, { engine: 'http' });
    return lookups;
  } finally {
    Map.prototype.get = get;
    Set.prototype.has = has;
  }
}
