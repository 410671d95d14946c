import type { Config } from '../../config.ts';
import { redactionOf } from '../../content/redaction/redaction.ts';
import { ServiceError } from '../../errors.ts';
import { isCacheOnly } from '../../schemas/scrape-options.ts';

/** What a request for a job says about its pages. */
interface JobOptions {
  archive?: boolean | undefined;
  lockdown: boolean;
  minAge?: number | undefined;
  redactPII: Parameters<typeof redactionOf>[0];
}

/**
 * Whether a job keeps the responses of the sites: as its request says, or else as the operator has set.
 * @throws ServiceError `BAD_REQUEST` if the request wants that of pages that no site is asked for, or whose personal data
 * is to be replaced
 */
export function keepsResponses(
  { archive, ...options }: JobOptions,
  { archivesPages }: Pick<Config, 'archivesPages'>,
): boolean {
  const reason = reasonAgainstResponses(options);
  if (reason === undefined) return archive ?? archivesPages;
  if (!archive) return false;
  throw new ServiceError(
    'BAD_REQUEST',
    `archive keeps the responses of the site, ${reason}. Leave one of them out.`,
  );
}

/** Why a job cannot keep the responses of the sites; `undefined` if it can. */
function reasonAgainstResponses(options: Omit<JobOptions, 'archive'>): string | undefined {
  if (isCacheOnly(options)) return `which is not asked with ${options.lockdown ? 'lockdown' : 'minAge'}`;
  return redactionOf(options.redactPII) && 'which have the personal data that redactPII replaces';
}
