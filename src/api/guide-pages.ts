import type { Express } from 'express';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { ServiceError } from '../errors.ts';
import { loadGuides } from '../guides/index.ts';
import { anchorOf, GUIDES_PATH, type GuideSection } from '../guides/read-guides.ts';

const STYLE =
  'body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}code{background:#8882;padding:.1em .3em}:target{background:#fd08}';

/** Serves the guides as pages; each section has an anchor. */
export function mountGuides(app: Express): void {
  app.get(GUIDES_PATH, async (_request, response) => {
    const { sections } = await loadGuides();
    const guides = new Map(sections.map(({ guide, title }) => [guide, title]));
    const items = [...guides].map(([guide, title]) => `- [${title}](${GUIDES_PATH}/${guide})`);
    response.type('html').send(page('Guides', toHtml(`# Guides\n\n${items.join('\n')}`)));
  });
  app.get(`${GUIDES_PATH}/:guide`, async (request, response) => {
    const { sections } = await loadGuides();
    const found = sections.filter(({ guide }) => guide === request.params.guide);
    const [first] = found;
    if (!first) {
      throw new ServiceError(
        'NOT_FOUND',
        `There is no guide ${request.params.guide}. ${GUIDES_PATH} lists them.`,
      );
    }
    const body = [toHtml(`# ${first.title}`), ...found.map(describeSection)].join('\n');
    response.type('html').send(page(first.title, body));
  });
}

const toHtml = (markdown: string) =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });

const describeSection = ({ heading, text }: GuideSection) =>
  `<section id="${anchorOf(heading)}">\n${toHtml(`## ${heading}\n\n${text}`)}\n</section>`;

/** The texts are those of the guides, which are a part of the service. */
const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><body>${body}</body></html>`;
