import { toMarkdown } from '../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../src/content/html/parse/parse.ts';

/** Converts HTML to GitHub-flavoured markdown. */
export type Convert = (html: string) => string;

/** The parts of the packages that are used. Their own types are missing until they are installed. */
interface Unified {
  unified(): Processor;
}
interface Processor {
  use(plugin: unknown, options?: object): Processor;
  processSync(html: string): { toString(): string };
}
interface Turndown {
  default: new (options: object) => { use(plugin: unknown): unknown; turndown(html: string): string };
}

/** Our converter without tidying, so nothing of the page is dropped. */
export const ours: Convert = (html) => toMarkdown(parseHtml(html), { removeBase64Images: true, tidy: false });

/** Our converter as the service calls it, which drops skip links and empty elements. */
export const tidy: Convert = (html) => toMarkdown(parseHtml(html), { removeBase64Images: true, tidy: true });

/**
 * A typical self-written crawler: cheerio removes what surrounds the content, and turndown converts the rest.
 */
export async function cheerioTurndown(): Promise<Convert> {
  const { load }: { load(html: string): Cheerio } = await import('cheerio' as string);
  const { turndown } = await loadTurndown();
  return (html) => {
    const page = load(html);
    page('script,style,noscript,nav,header,footer,aside,form,iframe').remove();
    return turndown(page('body').html() ?? '');
  };
}

type Cheerio = (selector: string) => { remove(): void; html(): string | null };

/** @param plugin the package that converts tables */
export async function loadTurndown(plugin = 'turndown-plugin-gfm'): Promise<{ turndown: Convert }> {
  const load = (name: string) => import(name);
  const { default: Turndown }: Turndown = await load('turndown');
  const { gfm }: { gfm: unknown } = await load(plugin);
  const service = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
    bulletListMarker: '-',
  });
  service.use(gfm);
  return { turndown: (html) => service.turndown(html) };
}

/** The converters in this folder by name, configured as in the quality kit. */
export async function markdownPeers(): Promise<Record<string, Convert>> {
  const load = (name: string) => import(name);
  const { unified }: Unified = await load('unified');
  const [parse, remark, gfm, stringify] = await Promise.all(
    ['rehype-parse', 'rehype-remark', 'remark-gfm', 'remark-stringify'].map(load),
  );
  const rehype = unified().use(parse.default).use(remark.default).use(gfm.default).use(stringify.default);
  const { htmlToMarkdown }: { htmlToMarkdown: Convert } = await load('mdream');
  const { turndown } = await loadTurndown();
  return {
    'rehype-remark 10.0.1': (html) => String(rehype.processSync(html)),
    'mdream 1.7.2': (html) => htmlToMarkdown(html),
    'turndown 7.2.5 + gfm': turndown,
  };
}
