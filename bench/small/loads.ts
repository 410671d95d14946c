import { z } from 'zod';
import { textLines, writePdf } from '../../test/content/parsers/pdf/pdf-writer.ts';
import { appTruth } from '../../test/site/site.ts';
import { ask, type Caller, runBatch } from '../crawl/service.ts';
import { measure } from '../figures.ts';

const LOOK_MS = 1_000;
const CLIENTS = 12;
const SESSIONS = 4;
/** Pages of the largest document; the others have a tenth of them. */
const MANUAL_PAGES = 1_158;
const LINES = 30;
/** The `timeout` of a document, less than the 300 s after which `fetch` gives up a response. */
const TIMEOUT_MS = 280_000;
/** How often a document is sent again that is still being converted after that. */
const MAX_AGAIN = 3;

const opened = z.object({ id: z.string() });
const executed = z.object({ result: z.string() });
const scraped = z.object({ data: z.object({ markdown: z.string() }) });
const parsed = z.object({ data: z.object({ metadata: z.object({ numPages: z.number() }) }) });

/** Runs a part of a load. @returns why it failed; `undefined` if it did not */
const failureOf = (part: Promise<unknown>): Promise<string | undefined> =>
  part.then(
    () => undefined,
    (error: unknown) => String(error).slice(0, 300),
  );

/** Pages of a batch, pages that scripts draw, and browser sessions, all at once. @returns what failed */
export async function loadPages(
  caller: Caller,
  { siteUrl, pages, scripts }: { siteUrl: string; pages: number; scripts: number },
): Promise<string[]> {
  const urls = Array.from({ length: pages }, (_, index) => `${siteUrl}/article/${index}`);
  const scrape = async (index: number) => {
    const body = { url: `${siteUrl}/app/${index}`, maxAge: 0 };
    const { data } = await ask(caller, { path: '/v2/scrape', body, answer: scraped });
    if (!data.markdown.includes(appTruth(index).firstSentence)) throw new Error(`${body.url} has no text`);
  };
  const failures = await Promise.all([
    failureOf(runBatch(caller, { urls, maxAge: 0 }, LOOK_MS)),
    failureOf(measure(scripts, CLIENTS, scrape)),
    ...Array.from({ length: SESSIONS }, (_, index) =>
      failureOf(useSession(caller, `${siteUrl}/app/${index}`)),
    ),
  ]);
  return failures.filter((failure) => failure !== undefined);
}

async function useSession(caller: Caller, url: string): Promise<void> {
  const { id } = await ask(caller, { path: '/v2/browser', body: {}, answer: opened });
  const code = `await page.goto(${JSON.stringify(url)}); console.log(await page.title())`;
  try {
    for (let call = 0; call < 5; call++)
      await ask(caller, { path: `/v2/browser/${id}/execute`, body: { code }, answer: executed });
  } finally {
    await ask(caller, { path: `/v2/browser/${id}`, method: 'DELETE', answer: z.unknown() });
  }
}

/** Documents that are uploaded at once, one of them with more than a thousand pages. @returns what failed */
export async function loadDocuments(caller: Caller, files: number): Promise<string[]> {
  const failures = await Promise.all(
    Array.from({ length: files }, (_, index) =>
      failureOf(parse(caller, `${index}.pdf`, index === 0 ? MANUAL_PAGES : Math.ceil(MANUAL_PAGES / 10))),
    ),
  );
  return failures.filter((failure) => failure !== undefined);
}

async function parse({ url, key }: Caller, name: string, pages: number): Promise<void> {
  const form = new FormData();
  form.append('options', JSON.stringify({ timeout: TIMEOUT_MS }));
  form.append('file', new Blob([new Uint8Array(manual(name, pages))]), name);
  const send = async () => {
    const response = await fetch(`${url}/v2/parse`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: form,
    });
    return { response, body: await response.text() };
  };
  let { response, body } = await send();
  // The conversion goes on after the timeout, and the same request again gets its result.
  for (let again = 0; response.status === 408 && again < MAX_AGAIN; again++)
    ({ response, body } = await send());
  if (!response.ok) throw new Error(`${name} with ${pages} pages: ${response.status} ${body}`);
  const { numPages } = parsed.parse(JSON.parse(body)).data.metadata;
  if (numPages !== pages) throw new Error(`${name} has ${numPages} pages instead of ${pages}`);
}

/** Text of a manual: full pages, with a picture on every tenth. */
const manual = (name: string, pages: number) =>
  writePdf(
    Array.from({ length: pages }, (_, page) => ({
      texts: textLines(
        40,
        40,
        Array.from(
          { length: LINES },
          (_, line) => `${name}, page ${page}, line ${line}: ${'some words '.repeat(4)}`,
        ),
      ),
      ...(page % 10 === 0 && {
        images: [
          {
            rect: [300, 600, 400, 700] as [number, number, number, number],
            width: 400,
            height: 400,
            pixels: Buffer.alloc(160_000, page % 251),
          },
        ],
      }),
    })),
  );
