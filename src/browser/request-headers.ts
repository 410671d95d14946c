import type { BrowserContext, CDPSession } from 'playwright-core';
import { ServiceError } from '../errors.ts';
import { mayShare } from '../url.ts';

/**
 * Sends the user's headers with requests to the page's own origin only: third parties must not see its secrets, not
 * even after a redirect, which is why Playwright's own routes will not do. Cookies go into the jar, as a browser's do.
 * @throws ServiceError `BAD_REQUEST` for a `Cookie` header that holds none
 */
export async function sendHeaders(
  context: BrowserContext,
  session: CDPSession,
  { url, headers: given }: { url: string; headers: Record<string, string> },
): Promise<void> {
  const own = new URL(url);
  const { cookie, ...headers } = lowerCased(given);
  if (cookie !== undefined) await setCookies(context, own, cookie);
  if (!Object.keys(headers).length) return;
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const all = Object.entries({ ...lowerCased(request.headers), ...headers });
    const overridden = mayShare(own, new URL(request.url)) && {
      headers: all.map(([name, value]) => ({ name, value })),
    };
    // A page that was closed meanwhile needs no answer.
    session.send('Fetch.continueRequest', { requestId, ...overridden }).catch(() => undefined);
  });
  const patterns = ['http', 'https'].map((scheme) => ({ urlPattern: `${scheme}://${own.host}/*` }));
  await session.send('Fetch.enable', { patterns });
}

async function setCookies(context: BrowserContext, { origin }: URL, header: string): Promise<void> {
  const cookies = header
    .split(';')
    .map((pair) => /^\s*([^=]+)=(.*)$/.exec(pair))
    .flatMap((match) => (match ? [{ url: origin, name: match[1]!.trim(), value: match[2]!.trim() }] : []));
  try {
    await context.addCookies(cookies);
  } catch (cause) {
    throw new ServiceError('BAD_REQUEST', `The header Cookie does not hold cookies for ${origin}.`, {
      cause,
    });
  }
}

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
