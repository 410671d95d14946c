import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { pageFunction } from '../../../content/open-page/page-function.ts';
import { codeOf } from '../../../errors.ts';
import type { Logger } from '../../../system/logger.ts';
import { createSelectorCheck, type ElementNames, readElementNames } from '../dom/element-names.ts';
import { evaluateIsolated } from '../dom/isolated-world.ts';
import { takeOptionalStep } from '../optional-step.ts';
import type { Tab } from '../tab.ts';
import { type AdFilters, compileFilters, readFilters } from './ad-filters.ts';
import type { OutgoingRequest } from './request-interception.ts';

/** Where Debian's package webext-ublock-origin-chromium keeps its lists. */
const DEBIAN_LISTS = ['ublock', 'thirdparties/easylist'].map(
  (folder) => `/usr/share/chromium/extensions/ublock-origin/assets/${folder}`,
);
/** Lists bad filter lists; contains no filters. */
const NON_FILTER_LIST = 'badlists.txt';
/** The versions of all packages: compiled lists are read only by the version that compiled them. */
const LOCK_FILE = path.join(import.meta.dirname, '../../../../package-lock.json');

/** Recognises advertisements by filter lists. */
export type AdBlocker = ReturnType<typeof createAdBlocker>;

/**
 * Compiles the filter lists, unless that is done. Compiling takes seconds, so the result is a file, named by
 * when the lists were changed and by the versions of the packages: reading all lists at each start would take
 * 5 MB of memory.
 * @param options.directory directory of the lists (`*.txt`); without it, those of the Debian package are used
 * @returns `undefined` when there are no lists; the log then says how to install them
 */
export async function openAdBlocker(options: {
  directory: string | undefined;
  cacheDir: string;
  logger: Logger;
}): Promise<AdBlocker | undefined> {
  const { directory, cacheDir, logger } = options;
  const findFile = () => findCompiledLists(directory ? [directory] : DEBIAN_LISTS, cacheDir);
  const file = await findFile();
  if (!file) {
    logger.warn(
      `advertisements are not blocked: ${directory ?? 'this machine'} has no filter lists. Install webext-ublock-origin-chromium (Debian), or set WINNOW_ADBLOCK_LISTS to a directory of lists.`,
    );
    return undefined;
  }
  // Somebody may have emptied the cache since the start.
  const readCompiled = async () =>
    (await undefinedIfMissing(readFile(file))) ?? readFile((await findFile()) ?? file);
  return createAdBlocker(readCompiled);
}

/**
 * @returns the file of the compiled lists, which is written if there is none; `undefined` if there are no
 * lists
 */
async function findCompiledLists(directories: string[], cacheDir: string): Promise<string | undefined> {
  const lists = await findLists(directories);
  if (!lists.length) return undefined;
  const hash = createHash('sha256').update(await readFile(LOCK_FILE));
  for (const list of lists) {
    const { size, mtimeMs } = await stat(list);
    hash.update(`${list} ${size} ${mtimeMs}\n`);
  }
  const file = path.join(cacheDir, `adblock-${hash.digest('hex').slice(0, 16)}.bin`);
  if (!existsSync(file)) await compileLists(lists, file);
  return file;
}

async function findLists(directories: string[]): Promise<string[]> {
  const lists = directories.map(async (directory) => {
    const names = (await undefinedIfMissing(readdir(directory))) ?? [];
    return names
      .filter((name) => name.endsWith('.txt') && name !== NON_FILTER_LIST)
      .sort()
      .map((name) => path.join(directory, name));
  });
  return (await Promise.all(lists)).flat();
}

async function compileLists(lists: string[], file: string): Promise<void> {
  const texts = await Promise.all(lists.map((list) => readFile(list, 'utf8')));
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  // The file has no checksum, so it gets its name only when it is on the disk.
  await writeFile(draft, compileFilters(texts.join('\n')), { flush: true });
  await rename(draft, file);
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

/** @param readCompiled reads the compiled lists with the first page; they take 7 MB of memory */
function createAdBlocker(readCompiled: () => Promise<Uint8Array>) {
  let loading: Promise<AdFilters> | undefined;
  const load = async () => readFilters(await readCompiled());
  const filtersOf = () => {
    loading ??= load();
    return loading.catch((error) => {
      // The next page tries again.
      loading = undefined;
      throw error;
    });
  };

  return {
    /**
     * What tells whether a request loads an advertisement or a tracker, for pages that are used rather than read.
     * @throws Error if the filters cannot be loaded
     */
    async matcher(): Promise<(request: OutgoingRequest) => boolean> {
      const filters = await filtersOf();
      return (request) => filters.matches(request);
    },

    /**
     * Starts blocking for one page.
     * @throws Error if the filters cannot be loaded
     */
    async open() {
      const filters = await filtersOf();
      const blockedUrls = new Set<string>();
      return {
        /** Whether a request loads an advertisement or a tracker. */
        isAd(request: OutgoingRequest): boolean {
          const isAd = filters.matches(request);
          if (isAd) blockedUrls.add(request.url);
          return isAd;
        },

        /**
         * Removes from a settled page what an ad blocker would hide: frames and images whose requests were
         * blocked, and the elements that the lists name. A style sheet would hide them from screenshots only;
         * they would stay in markdown and html, and the sheet itself would appear in the html.
         * @param known the names in the page, if they have just been read
         */
        async remove(tab: Tab, known: ElementNames | undefined): Promise<void> {
          await takeOptionalStep(tab.logger, 'a page is read with its advertisements', async () => {
            const names =
              known ?? (await readElementNames((read, limits) => evaluateIsolated(tab, read, limits)));
            // Those that cannot match there are left out.
            const selectors = filters.hiddenSelectors(names).filter(createSelectorCheck(names));
            if (!selectors.length && !blockedUrls.size) return;
            await evaluateIsolated(tab, removeElements, { selectors, blockedUrls: [...blockedUrls] });
          });
        },
      };
    },
  };
}

/** Runs in the page. */
const removeElements = pageFunction(
  z.void(),
  ({ selectors, blockedUrls }: { selectors: string[]; blockedUrls: string[] }, dom) => {
    const blocked = new Set(blockedUrls);
    for (const element of dom.findAll('img,iframe')) {
      const isBlocked =
        element instanceof HTMLImageElement
          ? blocked.has(element.src) || blocked.has(element.currentSrc)
          : element instanceof HTMLIFrameElement && blocked.has(element.src);
      if (isBlocked) dom.removeUnlessBody(element);
    }
    // A style sheet leaves out selectors that the browser does not know.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(selectors.map((selector) => `${selector} {}`).join('\n'));
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSStyleRule)) continue;
      for (const element of dom.findAll(rule.selectorText)) dom.removeUnlessBody(element);
    }
  },
);
