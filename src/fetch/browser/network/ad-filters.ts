import { FiltersEngine, makeRequest, Request, type RequestType } from '@ghostery/adblocker';
import type { ElementNames } from '../dom/element-names.ts';
import type { OutgoingRequest } from './request-interception.ts';

/** Constants that preprocessor conditions (`!#if`) in the lists test. */
const PREPROCESSOR_CONSTANTS = new Map([
  ['env_chromium', true],
  ['ext_ublock', true],
]);

/** Maps CDP resource types to the request types of the filter lists. */
const REQUEST_TYPES: Record<string, RequestType> = {
  Document: 'sub_frame',
  Script: 'script',
  Image: 'image',
  Media: 'media',
  XHR: 'xmlhttprequest',
  Fetch: 'xmlhttprequest',
  Ping: 'ping',
};

/** The filters of compiled lists. */
export type AdFilters = ReturnType<typeof readFilters>;

/**
 * The library's checksum would take 16 ms of the first page. Files of compiled lists get their name when they
 * are complete.
 */
const COMPILATION = { loadPreprocessors: true, loadCSPFilters: false, integrityCheck: false };

/** Compiles filter lists to what {@link readFilters} reads. It takes seconds. */
export const compileFilters = (lists: string): Uint8Array =>
  FiltersEngine.parse(lists, COMPILATION).serialize();

/** Reads compiled filters. @throws Error if they were compiled by another version of the library */
export function readFilters(compiled: Uint8Array) {
  const engine = FiltersEngine.deserialize(compiled);
  engine.updateEnv(PREPROCESSOR_CONSTANTS);

  return {
    /** Whether a request loads an advertisement or a tracker. */
    matches: ({ url, type, pageUrl }: OutgoingRequest): boolean =>
      engine.match(Request.fromRawDetails({ url, type: REQUEST_TYPES[type] ?? 'other', sourceUrl: pageUrl }))
        .match,

    /** The selectors of what an ad blocker would hide in a document with these names. */
    hiddenSelectors({ url, classes, ids, hrefs }: ElementNames): string[] {
      const { hostname, domain } = makeRequest({ url });
      const { styles } = engine.getCosmeticsFilters({
        url,
        hostname,
        domain,
        classes,
        ids,
        hrefs,
        getBaseRules: true,
        getInjectionRules: false,
        getExtendedRules: false,
        getRulesFromDOM: true,
        getRulesFromHostname: true,
      });
      return hidingSelectors(styles);
    },
  };
}

/**
 * The selectors of the rules that hide elements, in a style sheet as the library writes it: one selector per
 * line.
 */
const hidingSelectors = (styles: string) =>
  [...styles.matchAll(/(\S.*(?:,\n.*)*) \{ *display: *none\b[^{}]*\}/g)].flatMap(([, selectors]) =>
    selectors!.split(',\n'),
  );
