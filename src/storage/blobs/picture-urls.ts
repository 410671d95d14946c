import type { PageDetails } from '../../schemas/monitor-results.ts';
import { createFileUrl } from './file-urls.ts';

/**
 * Replaces the references to pictures in what a check has stored of a page with URLs, which work without a key for at
 * least 24 hours.
 * @param details as the check stored them
 */
export function withPictureUrls(
  { diff, snapshot }: PageDetails,
  { baseUrl, secretKey }: { baseUrl: string; secretKey: string },
): PageDetails {
  const urlOf = (reference: string) => createFileUrl(reference, baseUrl, secretKey, 'monitors');
  const pictures = diff?.screenshot;
  return {
    ...(diff && { diff }),
    ...(diff &&
      pictures && {
        diff: {
          ...diff,
          screenshot: {
            ...pictures,
            before: urlOf(pictures.before),
            after: urlOf(pictures.after),
            difference: urlOf(pictures.difference),
          },
        },
      }),
    ...(snapshot && {
      snapshot: { ...snapshot, ...(snapshot.screenshot && { screenshot: urlOf(snapshot.screenshot) }) },
    }),
  };
}
