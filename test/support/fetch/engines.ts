import type { Engine } from '../../../src/fetch/engines/engine.ts';
import type { Engines } from '../../../src/fetch/engines/fetch-page.ts';

/**
 * Engines that get every page from a function of the test. Without other parts, the cache is empty, documents
 * stay as they are, and there are no proxies.
 */
export function enginesBy(get: Engine['fetchPage'], parts: Partial<Engines> = {}): Engines {
  return {
    http: { fetchPage: get },
    browser: { fetchPage: get },
    proxies: { offers: () => false, isElsewhere: () => false },
    upload: {
      async readUpload() {
        throw new Error('The test has no uploaded files.');
      },
    },
    cache: { find: async () => undefined, store: async () => undefined },
    convertIfDocument: async (page) => page,
    ...parts,
  };
}
