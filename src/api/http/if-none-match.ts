import type { Request } from 'express';

/**
 * Whether `If-None-Match` contains the ETag of what is served (RFC 9110, 13.1.2). `request.fresh` of Express is not
 * used, because it is false for `Cache-Control: no-cache`, which `fetch` adds to such requests.
 */
export function matchesIfNoneMatch(request: Request, etag: string): boolean {
  const known = (request.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
