import { expect, it } from 'vitest';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { call } from '../support/api/call.ts';
import type { Process } from '../support/processes/process-list.ts';
import { documentProcesses } from '../support/processes/service-processes.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/**
 * A parser that dies. `faults.test.ts` runs this test, because it kills whichever parser is at work, and other
 * files would have theirs at work too.
 */

const db = useDatabase();

/** Takes a second or more to convert. */
const PAGES = 500;
const LONG = writePdf(
  Array.from({ length: PAGES }, (_, page) => ({
    texts: textLines(
      72,
      80,
      Array.from({ length: 30 }, (_, line) => `Line ${line} of page ${page} has some words.`),
    ),
  })),
);

it('costs only time: the document is converted again and billed once', async () => {
  await using pages = await startPages({
    '/long.pdf': (_, response) =>
      void response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(LONG),
  });
  /**
   * Scrapes the document with a new team.
   * @returns `undefined` if it was converted before its parser was found at work
   */
  async function scrapeAndKill() {
    const { key } = await makeTeam(db);
    pages.requests.length = 0;
    let hasEnded = false;
    const body = { url: `${pages.url}/long.pdf`, maxAge: 0, timeout: 150_000 };
    const scraping = call('/v2/scrape', { key, body }).finally(() => {
      hasEnded = true;
    });
    const isBusy = ({ status }: Process) => status('State').startsWith('R');
    const parser = () => (pages.requests.length > 0 ? documentProcesses().find(isBusy) : undefined);
    const found = await pollUntil(() => (hasEnded ? 'none' : parser()), { intervalMs: 10 });
    if (found !== 'none') process.kill(found.pid, 'SIGKILL');
    const response = await scraping;
    return found !== 'none' && { key, ...response };
  }
  const { key, status, body } = await pollUntil(scrapeAndKill);
  expect(status).toBe(200);
  expect(body.data.markdown).toContain(`Line 29 of page ${PAGES - 1} has some words.`);
  expect(body.data.metadata).toMatchObject({ numPages: PAGES, creditsUsed: PAGES });
  const { body: usage } = await call('/v2/team/credit-usage/historical', { key });
  expect(usage.periods).toMatchObject([{ totalCredits: PAGES }]);
  expect(pages.requests).toHaveLength(1);
});
