import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { escapeHtml } from '../../content/html/parse/escape-html.ts';
import { oneLine } from '../../content/html/text.ts';
import { excerpt, ServiceError } from '../../errors.ts';
import { loadGuides } from '../../jobs/guides/index.ts';
import { anchorOf, GUIDES_PATH, type GuideSection, REFERENCE } from '../../jobs/guides/read-guides.ts';
import { renderPage } from './page.ts';

/** The most sections that a search lists. */
const MAX_FOUND = 20;
/** Characters of a section that a search shows. */
const MAX_SHOWN = 200;

/** Renders the page that lists all guides. */
export async function renderGuideList(): Promise<string> {
  const guides = await listGuides();
  const cards = guides.map(
    ({ name, title, sections }) =>
      `<li><a href="${GUIDES_PATH}/${name}"><b>${escapeHtml(title)}</b></a><p>${escapeHtml(summarize(sections))}</p></li>`,
  );
  const body = `<h1>Guides</h1><ul class="cards">${cards.join('')}</ul>`;
  return renderPage({ title: 'Guides', body, current: 'guides', contents: renderContents(guides) });
}

/** Renders a guide; each section has an anchor. @throws ServiceError `NOT_FOUND` for an unknown name */
export async function renderGuide(name: string): Promise<string> {
  const guides = await listGuides();
  const place = guides.findIndex((guide) => guide.name === name);
  const guide = guides[place];
  if (!guide)
    throw new ServiceError('NOT_FOUND', `There is no guide ${excerpt(name)}. ${GUIDES_PATH} lists them.`);
  const endpoints = listEndpoints(guides);
  const body = [
    `<h1>${escapeHtml(guide.title)}</h1>`,
    ...guide.sections.map((section) => renderSection(section, endpoints)),
    renderNeighbours(guides[place - 1], guides[place + 1]),
  ];
  return renderPage({
    title: guide.title,
    body: body.join('\n'),
    current: 'guides',
    contents: renderContents(guides, guide),
  });
}

/**
 * Renders what a search in the guides, the API reference and the error codes finds.
 * @param query the words of the reader
 */
export async function renderSearch(query: string): Promise<string> {
  const { search } = await loadGuides();
  const found = query.trim() ? search.search(query, MAX_FOUND) : [];
  const items = found.map(
    ({ path, title, heading, text }) =>
      `<li><a href="${path}"><b>${escapeHtml(heading)}</b></a> <small>${escapeHtml(title)}</small><p>${escapeHtml(beginningOf(text))}</p></li>`,
  );
  const result = items.length
    ? `<ul class="results">${items.join('')}</ul>`
    : `<p>${query.trim() ? `Nothing is known of <b>${escapeHtml(query)}</b>. Try other words, or fewer.` : 'Type some words into the field above.'}</p>`;
  const body = `<h1>Search</h1>${result}`;
  return renderPage({
    title: 'Search',
    body,
    current: 'guides',
    contents: renderContents(await listGuides()),
    query,
  });
}

interface Guide {
  name: string;
  title: string;
  sections: GuideSection[];
}

/** The guide that a new user needs first. */
const FIRST = 'connect';

/** All guides: the first one, then the others in the order of their names. */
async function listGuides(): Promise<Guide[]> {
  const { sections } = await loadGuides();
  const guides = Map.groupBy(sections, ({ guide }) => guide);
  return [...guides]
    .map(([name, of]) => ({ name, title: of[0]?.title ?? name, sections: of }))
    .sort((a, b) => Number(b.name === FIRST) - Number(a.name === FIRST));
}

/** Converts markdown to HTML. Programs can be scrolled by the keyboard where they are wider than the page. */
const toHtml = (markdown: string) =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }).replaceAll(
    '<pre>',
    '<pre tabindex="0">',
  );

const renderSection = ({ heading, text }: GuideSection, endpoints: Endpoints) =>
  `<section id="${anchorOf(heading)}">\n<h2><a href="#${anchorOf(heading)}">${escapeHtml(heading)}</a></h2>\n${linkEndpoints(toHtml(text), endpoints)}\n</section>`;

/** Where the reference describes an endpoint, by its method and path. */
type Endpoints = ReadonlyMap<string, string>;

const listEndpoints = (guides: Guide[]): Endpoints =>
  new Map(
    guides
      .filter(({ name }) => name === REFERENCE)
      .flatMap(({ sections }) => sections.map(({ heading, path }) => [heading, path] as const)),
  );

/** Links each endpoint that a text names as code, such as `POST /v2/crawl`, to its description. */
const linkEndpoints = (html: string, endpoints: Endpoints): string =>
  html.replaceAll(/<code>([A-Z]+ \/[^<?]*)([^<]*)<\/code>/g, (code, endpoint) => {
    const path = endpoints.get(endpoint);
    return path === undefined ? code : `<a href="${path}">${code}</a>`;
  });

/** The list of all guides, with the sections of the one that is open. */
function renderContents(guides: Guide[], open?: Guide): string {
  const items = guides.map((guide) => {
    const isOpen = guide === open;
    const sections = isOpen
      ? `<ul>${guide.sections.map(({ heading }) => `<li><a href="#${anchorOf(heading)}">${escapeHtml(heading)}</a></li>`).join('')}</ul>`
      : '';
    return `<li><a href="${GUIDES_PATH}/${guide.name}"${isOpen ? ' aria-current="page"' : ''}>${escapeHtml(guide.title)}</a>${sections}</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

function renderNeighbours(before: Guide | undefined, after: Guide | undefined): string {
  const link = (guide: Guide | undefined, make: (title: string) => string) =>
    guide ? `<a href="${GUIDES_PATH}/${guide.name}">${make(escapeHtml(guide.title))}</a>` : '<span></span>';
  return `<nav class="next" aria-label="Other guides">${link(before, (title) => `← ${title}`)}${link(after, (title) => `${title} →`)}</nav>`;
}

/** The first headings of a guide. */
function summarize(sections: GuideSection[]): string {
  const headings = sections.slice(0, 4).map(({ heading }) => heading);
  return headings.join(' · ') + (sections.length > headings.length ? ' · …' : '');
}

/** The beginning of a section without its marks and its code blocks. */
function beginningOf(markdown: string): string {
  const text = oneLine(markdown.replace(/```.*?```/gs, ' ').replace(/[`*|]|\[([^\]]*)\]\([^)]*\)/g, '$1'));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).replace(/\s\S*$/, '')} …` : text;
}
