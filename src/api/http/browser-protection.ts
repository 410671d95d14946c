import type { RequestHandler } from 'express';

/** Most pages may do nothing but be read, and no page may be framed: a click in a frame can be stolen. */
const NO_SOURCES = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/**
 * What browsers are told of every response, unless its route replaces it: to take it for what its type says,
 * to run and load nothing from it, and to show it in no frame.
 */
export const PROTECTION = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': `${NO_SOURCES}; form-action 'none'`,
  'X-Frame-Options': 'DENY',
} as const;

/**
 * The content policy (CSP 3) of the service's own pages: styles may be inline, and everything else comes from
 * its own origin, to which forms are sent too.
 */
export const OWN_PAGE_POLICY = `${NO_SOURCES}; form-action 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'`;

/**
 * The content policy of files that come from elsewhere. Browsers may show them, but not as a page of this
 * origin.
 */
export const FOREIGN_FILE_POLICY = "sandbox; frame-ancestors 'none'";

/** Protects every response. */
export const protectResponse: RequestHandler = (_request, response, next) => {
  response.set(PROTECTION);
  next();
};
