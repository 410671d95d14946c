import type { Challenge, FetchedSnapshot } from '../../../content/snapshot.ts';
import { ServiceError } from '../../../errors.ts';
import type { Engine } from '../engine.ts';
import { detectChallenge } from './challenge.ts';

/** Statuses with which sites block a visitor or limit its rate. */
const BLOCKED_STATUSES = new Set([401, 403, 429]);

/** Whether the site blocked the request. */
export const isBlocked = ({ statusCode, challenge }: FetchedSnapshot) =>
  BLOCKED_STATUSES.has(statusCode) || challenge !== undefined;

/** Wraps an engine so that `challenge` is set on the pages that are challenges. */
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
 * Warnings about a challenge that remained after all attempts.
 * @param advice sentences for the user about options that prevented further attempts; empty if everything was
 *   tried
 * @throws ServiceError `SCRAPE_ALL_ENGINES_FAILED` for a certain challenge if everything was tried. A page
 *   with an error status gets a warning instead, because its status already shows the failure.
 */
export function challengeWarnings(
  { url, statusCode, challenge }: FetchedSnapshot,
  advice: string[],
): string[] {
  if (!challenge) return [];
  const what = describeChallenge(challenge);
  if (!challenge.isCertain) {
    return [[`${url} may have responded with ${what} instead of the requested page.`, ...advice].join(' ')];
  }
  if (statusCode < 400 && advice.length === 0) {
    throw new ServiceError(
      'SCRAPE_ALL_ENGINES_FAILED',
      `${url} responded with ${what} instead of the page to every available engine and proxy. Try again later, with a longer waitFor if the challenge passes by itself, or through other proxies.`,
    );
  }
  return [[`${url} responded with ${what} instead of the page.`, ...advice].join(' ')];
}
