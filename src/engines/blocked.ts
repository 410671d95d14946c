import { ServiceError } from '../errors.ts';
import type { Challenge, Snapshot } from '../snapshot.ts';
import { detectChallenge } from './challenge.ts';
import type { Engine } from './engine.ts';

/** With these a site says that it does not want this visitor, or not so many of them. */
const BLOCKED_STATUSES = new Set([401, 403, 429]);

/** Whether the site did not let us in. */
export const isBlocked = ({ statusCode, challenge }: Snapshot) =>
  BLOCKED_STATUSES.has(statusCode) || challenge !== undefined;

/** The same engine, whose pages say whether they are challenges. */
export const withChallengeDetection = (engine: Engine): Engine => ({
  async fetchPage(request, signal) {
    const page = await engine.fetchPage(request, signal);
    const challenge = detectChallenge(page);
    return challenge ? { ...page, challenge } : page;
  },
});

const describeChallenge = ({ maker }: Challenge) =>
  maker === 'captcha' ? 'a captcha' : `a challenge by ${maker}`;

/**
 * What to tell of a challenge that is the last word on a page.
 * @param advice what the request kept from being tried, in words for the user; empty: nothing was left
 * @throws ServiceError `SCRAPE_ALL_ENGINES_FAILED` for a page that is certainly none, when nothing was left to try. A
 *   page whose status is an error says so by that.
 */
export function challengeWarnings({ url, statusCode, challenge }: Snapshot, advice: string[]): string[] {
  if (!challenge) return [];
  const what = describeChallenge(challenge);
  if (!challenge.isCertain) {
    return [[`${url} may be ${what} in place of the page that was asked for.`, ...advice].join(' ')];
  }
  if (statusCode < 400 && advice.length === 0) {
    throw new ServiceError(
      'SCRAPE_ALL_ENGINES_FAILED',
      `${url} was answered with ${what} in place of the page, whatever engine and proxy asked for it. Try again later, or with a longer waitFor if the challenge passes by itself; other proxies may be let in.`,
    );
  }
  return [[`${url} was answered with ${what} in place of the page.`, ...advice].join(' ')];
}
