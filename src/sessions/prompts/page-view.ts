import type { Page } from 'playwright';
import { cutToTokens } from '../../content/language-model.ts';
import { untilAborted } from '../../system/until-aborted.ts';
import { isOnAllowedHost } from '../../url/allowed-hosts.ts';
import type { PromptTab } from './prompt-tab.ts';

/** How long a page may take to describe itself, in milliseconds. */
const VIEW_MS = 10_000;
/**
 * How long a password field may take to be read, in milliseconds. A field that has gone is not waited for
 * longer.
 */
const PASSWORD_MS = 2_000;
/** Password fields of a frame that are read at most. */
const MAX_PASSWORDS = 50;
/** Characters of its title that are kept. */
const MAX_TITLE_CHARACTERS = 1_000;
/** Characters of a page that are kept. It is far more than a model reads. */
const MAX_CHARACTERS = 2_000_000;

/** A page as a language model sees it. */
export interface PageView {
  url: string;
  /** URL, title and the tree of the page's elements with their refs. */
  text: string;
}

/**
 * Describes the page that a tab shows.
 * @param hosts the hosts whose pages may be read
 * @throws Error if the page is of another host or does not respond
 */
export async function readView(tab: PromptTab, hosts: readonly string[]): Promise<PageView> {
  const url = tab.page.url();
  if (/^https?:/.test(url) && !isOnAllowedHost(url, hosts))
    throw new Error(`The tab shows ${new URL(url).host}, which may not be read.`);
  const [tree, passwords, title] = await untilAborted(
    () =>
      Promise.all([
        tab.page.ariaSnapshot({ mode: 'ai', timeout: VIEW_MS }),
        readPasswords(tab.page),
        tab.page.title(),
      ]),
    AbortSignal.timeout(VIEW_MS),
  );
  const head = [`URL: ${url}`, ...(title ? [`Title: ${title.slice(0, MAX_TITLE_CHARACTERS)}`] : [])].join(
    '\n',
  );
  const kept = hidePasswords(tree.slice(0, MAX_CHARACTERS), passwords);
  const rest = tree.length > MAX_CHARACTERS ? '\n[The rest of the page was left out.]' : '';
  return { url, text: `${head}\n\n${kept || 'The page is empty.'}${rest}` };
}

/**
 * Takes the part of a view that fits into a number of tokens.
 * @param from the character to begin with
 * @returns the part, which says how to read on if it is not the rest
 */
export function cutView(text: string, from: number, tokens: number): string {
  const { text: part } = cutToTokens(text.slice(from), tokens);
  const end = from + part.length;
  if (end >= text.length) return part;
  return `${part}\n[Characters ${from} to ${end} of ${text.length}. Call read with from ${end} for more.]`;
}

/** Removes the refs from a view, for readers that cannot use them. */
export const withoutRefs = (text: string): string =>
  text.replace(/ \[ref=[^\]]*\]| \[cursor=[^\]]*\]/g, '').replace(/ \[active\]/g, '');

/** Returns what a view calls an element, such as `button "Send"`; its ref if the view does not have it. */
export function elementName(view: string, ref: string): string {
  const line = view.split('\n').find((each) => each.includes(`[ref=${ref}]`));
  const name = line?.match(/^\s*- (.*?) \[/)?.[1];
  return name ? name.slice(0, 100) : ref;
}

/**
 * Reads the content of the password fields of a page and its frames.
 * @returns `undefined` if there are too many, or if one of them cannot be read
 */
async function readPasswords(page: Page): Promise<string[] | undefined> {
  const values = page.frames().map(async (frame) => {
    const fields = await frame.locator('input[type=password]').all();
    if (fields.length > MAX_PASSWORDS) return [undefined];
    // Other than `evaluate`, it does not wait for the page to run scripts of its own, which some pages never
    // do.
    const read = fields.map((field) => field.inputValue({ timeout: PASSWORD_MS }).catch(() => undefined));
    return Promise.all(read);
  });
  // A frame that is navigating has no fields yet.
  const read = (await Promise.all(values.map((each) => each.catch(() => [])))).flat();
  return read.includes(undefined) ? undefined : read.flatMap((value) => value || []);
}

/**
 * Hides passwords in the values of fields, as the page itself does.
 * @param passwords `undefined` hides the values of all fields
 */
function hidePasswords(tree: string, passwords: readonly string[] | undefined): string {
  if (passwords?.length === 0) return tree;
  const isHidden = (value: string) =>
    passwords === undefined || passwords.some((password) => value.includes(password));
  return tree
    .split('\n')
    .map((line) => {
      const [, field, value = ''] = /^(\s*- '?textbox .*?\]'?: )(.*)$/.exec(line) ?? [];
      return field && isHidden(value) ? `${field}••••••` : line;
    })
    .join('\n');
}
