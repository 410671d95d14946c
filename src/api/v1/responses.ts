import type { z } from 'zod';
import type { mapResponse } from '../../schemas/map.ts';
import type { searchResponse } from '../../schemas/search.ts';

/** Converts the response of a search: version 1 had one list of results. */
export function flattenResults(response: unknown): unknown {
  // The route of version 2 returns it in this shape.
  const { data, warning, ...same } = response as z.output<typeof searchResponse>;
  return { ...same, data: data.web ?? [], ...(warning && { warning }) };
}

/** Converts the response of a map: version 1 had the URLs only. */
export function listUrls(response: unknown): unknown {
  // The route of version 2 returns it in this shape.
  const { links, ...same } = response as z.output<typeof mapResponse>;
  return { ...same, links: links.map(({ url }) => url) };
}

/** Converts the names in the data of a report on the team, such as `remainingCredits`, to `remaining_credits`. */
export function nameWithUnderscores(response: unknown): unknown {
  // The route of version 2 returns it in this shape.
  const { data, ...same } = response as { data: object };
  const renamed = Object.entries(data).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return { ...same, data: Object.fromEntries(renamed) };
}
