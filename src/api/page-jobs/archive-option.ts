import type { Config } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { isCacheOnly } from '../../schemas/scrape-options.ts';

/**
 * Whether a job keeps the responses of the sites: as its request says, or else as the operator has set.
 * @throws ServiceError `BAD_REQUEST` if the request wants that of pages that no site is asked for
 */
export function keepsResponses(
  { archive, ...options }: { archive?: boolean | undefined; lockdown: boolean; minAge?: number | undefined },
  { archivesPages }: Pick<Config, 'archivesPages'>,
): boolean {
  if (!isCacheOnly(options)) return archive ?? archivesPages;
  if (!archive) return false;
  throw new ServiceError(
    'BAD_REQUEST',
    `archive keeps the responses of the site, which is not asked with ${options.lockdown ? 'lockdown' : 'minAge'}. Leave one of them out.`,
  );
}
