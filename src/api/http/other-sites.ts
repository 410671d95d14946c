import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Config } from '../../config.ts';
import { quote, ServiceError } from '../../errors.ts';
import { isLoopback } from '../../url/loopback.ts';

/** The methods of requests that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Finds out whether a page of another site may have made a browser send a request.
 * @param isAction whether the request does more than to read what only a page of this origin can see
 * @returns the error `UNTRUSTED_ORIGIN`; `undefined` if the request may be served
 */
export type FindOtherSite = (request: IncomingMessage, isAction: boolean) => ServiceError | undefined;

/**
 * Creates the check of where requests come from. It is needed without authentication only, where every site
 * that a user of the service visits could otherwise use it from their browser.
 */
export function createOtherSiteCheck({
  authRequired,
  allowedHosts,
}: Pick<Config, 'authRequired' | 'allowedHosts'>): FindOtherSite {
  if (authRequired) return () => undefined;
  const names = new Set(allowedHosts.map(hostNameOf));
  return ({ headers }, isAction) => {
    const { host = '' } = headers;
    const name = hostNameOf(host);
    // A site can make its name lead to the service, but not choose the name that browsers then send.
    if (!isLoopback(name) && !names.has(name)) {
      return new ServiceError(
        'UNTRUSTED_ORIGIN',
        `The request is for the host ${quote(host)}, but without authentication only known hosts are served. Use localhost, or add the host to WINNOW_ALLOWED_HOSTS.`,
      );
    }
    if (!isAction || isOwnOrigin(headers)) return undefined;
    return new ServiceError(
      'UNTRUSTED_ORIGIN',
      'A page of another origin made a browser send the request, which is refused without authentication. Send it from a program, or set WINNOW_AUTH=on and use a key.',
    );
  };
}

/** Refuses HTTP requests that a page of another site may have made a browser send. */
export const refuseOtherSites =
  (findOtherSite: FindOtherSite): RequestHandler =>
  (request, _response, next) =>
    next(findOtherSite(request, !SAFE_METHODS.has(request.method)));

/** The host of a header or setting without its port, in the form that URLs have it; empty if it is none. */
const hostNameOf = (host: string): string =>
  URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';

/**
 * Whether a request comes from a page of the same origin, or from no page, by what browsers say (Fetch
 * Metadata, and the header `Origin` of the Fetch standard). Other programs send neither header.
 */
function isOwnOrigin({ origin, host, 'sec-fetch-site': site }: IncomingMessage['headers']): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  const from = URL.parse(origin);
  return from !== null && URL.parse(`${from.protocol}//${host}`)?.host === from.host;
}
