import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { excerpt, ServiceError } from '../errors.ts';
import { loadGuides } from '../jobs/guides/index.ts';
import { anchorOf, GUIDES_PATH, type GuideSection } from '../jobs/guides/read-guides.ts';

const STYLE =
  'body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}code{background:#8882;padding:.1em .3em}:target{background:#fd08}';

/** Renders the page that lists all guides. */
export async function renderGuideList(): Promise<string> {
  const { sections } = await loadGuides();
  const guides = new Map(sections.map(({ guide, title }) => [guide, title]));
  const items = [...guides].map(([guide, title]) => `- [${title}](${GUIDES_PATH}/${guide})`);
  return page('Guides', toHtml(`# Guides\n\n${items.join('\n')}`));
}

/** Renders a guide; each section has an anchor. @throws ServiceError `NOT_FOUND` for an unknown name */
export async function renderGuide(name: string): Promise<string> {
  const { sections } = await loadGuides();
  const found = sections.filter(({ guide }) => guide === name);
  const [first] = found;
  if (!first)
    throw new ServiceError('NOT_FOUND', `There is no guide ${excerpt(name)}. ${GUIDES_PATH} lists them.`);
  const body = [toHtml(`# ${first.title}`), ...found.map(describeSection)].join('\n');
  return page(first.title, body);
}

const toHtml = (markdown: string) =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });

const describeSection = ({ heading, text }: GuideSection) =>
  `<section id="${anchorOf(heading)}">\n${toHtml(`## ${heading}\n\n${text}`)}\n</section>`;

/** The texts are those of the guides, which are a part of the service. */
const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><body>${body}</body></html>`;
