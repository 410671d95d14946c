import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type ModelReply,
  type ModelRequest,
  startModelEndpoint,
  toolsOfferedBy,
} from '../../test/support/models/model-endpoint.ts';
import { startPages } from '../../test/support/sites/pages.ts';

/** What each program is given beside the URL and the key of the service. */
interface Given {
  /** The start page of a site of three pages. */
  site: string;
  /** A page that says when a ferry departs: at noon. */
  page: string;
  /** Two pages of that site. */
  pages: string[];
  /** A page that is never answered. */
  slowPage: string;
  /** A search that finds the page once it was scraped. */
  query: string;
  /** A JSON schema of what the page says: `departure`. */
  schema: object;
  /** A file about the ferry, and its text. */
  file: string;
  fileText: string;
}

const FACTS = '<dl><dt>Departure</dt><dd>noon</dd></dl>';
const htmlOf = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${body}</main></html>`;

/** Starts the site and the language model, and writes the file, for all programs. */
export async function startGiven(directory: string) {
  // A word that no other page has, so that searches find this one.
  const word = `harbour${Date.now()}`;
  const site = await startPages({
    '/': htmlOf(
      'Ferries',
      '<p>Timetables of all ferries.</p><a href="/lamp">Lamp</a> <a href="/pier">Pier</a>',
    ),
    '/lamp': htmlOf('Ferries to Lamp', `<p>The ferry to ${word} departs at noon.</p>${FACTS}`),
    '/pier': htmlOf('Ferries to Pier', '<p>There is also a ferry to the pier at noon.</p>'),
    '/slow': (_request, response) => {
      // The headers alone, so that the page is neither there nor refused.
      response.writeHead(200, { 'Content-Type': 'text/html' }).flushHeaders();
    },
  });
  const page = `${site.url}/lamp`;
  const model = await startModelEndpoint();
  model.reply((request) => replyAbout(request, page));
  const fileText = htmlOf('Ferries', `<p>The ferry departs at noon.</p>${FACTS}`);
  const file = path.join(directory, 'ferries.html');
  await writeFile(file, fileText);
  const given: Given = {
    site: `${site.url}/`,
    page,
    pages: [page, `${site.url}/pier`],
    slowPage: `${site.url}/slow`,
    query: `ferry to ${word}`,
    schema: { type: 'object', properties: { departure: { type: 'string' } }, required: ['departure'] },
    file,
    fileText,
  };
  return {
    given,
    modelUrl: model.url,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

/** Reacts as a model that reads the page and says when the ferry departs. */
function replyAbout(request: ModelRequest, page: string): ModelReply {
  const tools = toolsOfferedBy(request);
  if (tools.includes('click')) return { calls: [{ name: 'answer', input: { data: 'at noon' } }] };
  if (tools.length === 0) return JSON.stringify({ departure: 'noon' });
  const hasRead = request.body.messages.some(({ role }: { role: string }) => role === 'tool');
  const answer = { name: 'answer', input: { data: { departure: 'noon' }, sources: [page] } };
  return { calls: [hasRead ? answer : { name: 'scrape', input: { url: page } }] };
}
