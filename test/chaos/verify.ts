import type { z } from 'zod';
import { pageErrors } from '../../src/schemas/page-job.ts';
import type { Client } from './client.ts';
import type { Findings } from './findings.ts';
import type { WatchedJob } from './watch.ts';

/** A job with the results of all its pages. */
export interface VerifiedJob extends WatchedJob {
  errors: z.output<typeof pageErrors>['errors'];
}

/** Credits of a host name that does not resolve. */
const UNKNOWN_HOST_CREDITS = 1;

/** Checks that every page of an ended job is there exactly once, as a document or as an error. */
export async function verifyJob(
  job: WatchedJob,
  { client, findings }: { client: Client; findings: Findings },
): Promise<VerifiedJob> {
  const { plan, id, head, documents } = job;
  const wrong = (text: string) => findings.wrong(`${plan.name} ${id}: ${text}`);
  const { errors, robotsBlocked } = pageErrors.parse(await client.ask(`${plan.path}/${id}/errors`));
  for (const { url, code, error } of errors) {
    const expected = plan.expect(url);
    if (!expected || !('error' in expected) || expected.error !== code)
      wrong(`${url} failed with ${code}: ${error}`);
  }
  if (robotsBlocked.length) wrong(`robots.txt is said to forbid ${robotsBlocked[0]}`);
  if (documents.length !== head.completed)
    wrong(`${documents.length} documents, ${head.completed} are completed`);
  if (errors.length !== head.failed) wrong(`${errors.length} errors, ${head.failed} are failed`);
  const urls = [...documents.map(({ sourceUrl }) => sourceUrl), ...errors.map(({ url }) => url)];
  for (const url of repeated(urls)) wrong(`${url} is there more than once`);
  const ids = [...documents.map(({ scrapeId }) => scrapeId), ...errors.map((error) => error.id)];
  for (const repeatedId of repeated(ids)) wrong(`scrape id ${repeatedId} is there more than once`);
  if (new Set(urls).size !== plan.pages)
    wrong(`${new Set(urls).size} different pages instead of ${plan.pages}`);
  const credits =
    documents.reduce((sum, document) => sum + document.credits, 0) +
    errors.filter(({ code }) => code === 'SCRAPE_DNS_RESOLUTION_ERROR').length * UNKNOWN_HOST_CREDITS;
  if (head.creditsUsed !== credits) wrong(`creditsUsed is ${head.creditsUsed}, its pages cost ${credits}`);
  return { ...job, errors };
}

/** The values that occur more than once. */
function repeated(values: string[]): Set<string> {
  const seen = new Set<string>();
  return new Set(values.filter((value) => seen.size === seen.add(value).size));
}
