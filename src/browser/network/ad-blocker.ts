import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ENGINE_VERSION, FiltersEngine, makeRequest, Request, type RequestType } from '@ghostery/adblocker';
import { codeOf } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { createSelectorCheck, type ElementNames, readElementNames } from '../dom/element-names.ts';
import { evaluateIsolated, type FrameTarget, isBetweenDocuments } from '../dom/isolated-world.ts';
import type { OutgoingRequest } from './request-interception.ts';

/** Where Debian's package webext-ublock-origin-chromium keeps its lists. */
const DEBIAN_LISTS = ['ublock', 'thirdparties/easylist'].map(
  (folder) => `/usr/share/chromium/extensions/ublock-origin/assets/${folder}`,
);
/** Lists bad filter lists; contains no filters. */
const NON_FILTER_LIST = 'badlists.txt';

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

/** Recognises advertisements by filter lists. */
export type AdBlocker = ReturnType<typeof createAdBlocker>;

/**
 * Reads the filter lists and compiles them. Compiling takes seconds, so the engine is cached on disk under the hash of
 * the lists.
 * @param options.directory directory of the lists (`*.txt`); without it, those of the Debian package are used
 * @returns `undefined` when there are no lists; the log then says how to install them
 */
export async function openAdBlocker(options: {
  directory: string | undefined;
  cacheDir: string;
  logger: Logger;
}): Promise<AdBlocker | undefined> {
  const { directory, cacheDir, logger } = options;
  const lists = await readLists(directory ? [directory] : DEBIAN_LISTS);
  if (!lists) {
    logger.warn(
      `advertisements are not blocked: ${directory ?? 'this machine'} has no filter lists. Install webext-ublock-origin-chromium (Debian), or set WINNOW_ADBLOCK_LISTS to a directory of lists.`,
    );
    return undefined;
  }
  const hash = createHash('sha256').update(lists).digest('hex').slice(0, 16);
  const file = path.join(cacheDir, `adblock-${ENGINE_VERSION}-${hash}.bin`);
  return createAdBlocker((await readEngine(file)) ?? (await compileEngine(lists, file)));
}

async function readLists(directories: string[]): Promise<string> {
  const lists = directories.map(async (directory) => {
    const names = (await undefinedIfMissing(readdir(directory))) ?? [];
    const listNames = names.filter((name) => name.endsWith('.txt') && name !== NON_FILTER_LIST).sort();
    return Promise.all(listNames.map((name) => readFile(path.join(directory, name), 'utf8')));
  });
  return (await Promise.all(lists)).flat().join('\n');
}

async function readEngine(file: string): Promise<FiltersEngine | undefined> {
  const bytes = await undefinedIfMissing(readFile(file));
  return bytes && FiltersEngine.deserialize(bytes);
}

async function compileEngine(lists: string, file: string): Promise<FiltersEngine> {
  const engine = FiltersEngine.parse(lists, { loadPreprocessors: true, loadCSPFilters: false });
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, engine.serialize());
  await rename(draft, file);
  return engine;
}

/** The content that was read, or `undefined` when the file does not exist. */
async function undefinedIfMissing<Content>(promise: Promise<Content>): Promise<Content | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function createAdBlocker(engine: FiltersEngine) {
  engine.updateEnv(PREPROCESSOR_CONSTANTS);

  /** The selectors of what an ad blocker would hide in a document with these names, except those that cannot match there. */
  function hiddenSelectors({ url, classes, ids, hrefs, ...names }: ElementNames): string[] {
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
    return hidingSelectors(styles).filter(createSelectorCheck({ classes, ids, ...names }));
  }

  return {
    /** Starts blocking for one page. */
    open() {
      const blockedUrls = new Set<string>();
      return {
        /** Whether a request loads an advertisement or a tracker. */
        isAd({ url, type, pageUrl }: OutgoingRequest): boolean {
          const isAd = engine.match(
            Request.fromRawDetails({ url, type: REQUEST_TYPES[type] ?? 'other', sourceUrl: pageUrl }),
          ).match;
          if (isAd) blockedUrls.add(url);
          return isAd;
        },

        /**
         * Removes from a settled page what an ad blocker would hide: frames and images whose requests were blocked, and
         * the elements that the lists name. A style sheet would hide them from screenshots only; they would stay in
         * markdown and html, and the sheet itself would appear in the html.
         * @param known the names in the page, if they have just been read
         */
        async remove(page: FrameTarget, known: ElementNames | undefined): Promise<void> {
          try {
            const names = known ?? (await evaluateIsolated(page, readElementNames, undefined));
            const selectors = hiddenSelectors(names);
            if (!selectors.length && !blockedUrls.size) return;
            await evaluateIsolated(page, removeElements, { selectors, blockedUrls: [...blockedUrls] });
          } catch (error) {
            // A page that navigates meanwhile is read without this step.
            if (!isBetweenDocuments(error)) throw error;
          }
        },
      };
    },
  };
}

/** The selectors of the rules that hide elements, in a style sheet as the library writes it: one selector per line. */
const hidingSelectors = (styles: string) =>
  [...styles.matchAll(/(\S.*(?:,\n.*)*) \{ *display: *none\b[^{}]*\}/g)].flatMap(([, selectors]) =>
    selectors!.split(',\n'),
  );

/** Runs in the page. */
function removeElements({ selectors, blockedUrls }: { selectors: string[]; blockedUrls: string[] }): void {
  const remove = (element: Element) => {
    if (!element.contains(document.body)) element.remove();
  };
  const blocked = new Set(blockedUrls);
  for (const element of document.querySelectorAll<HTMLImageElement | HTMLIFrameElement>('img,iframe')) {
    if (blocked.has(element.src) || ('currentSrc' in element && blocked.has(element.currentSrc)))
      remove(element);
  }
  // A style sheet leaves out selectors that the browser does not know.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(selectors.map((selector) => `${selector} {}`).join('\n'));
  for (const rule of sheet.cssRules) {
    if (rule instanceof CSSStyleRule) document.querySelectorAll(rule.selectorText).forEach(remove);
  }
}
