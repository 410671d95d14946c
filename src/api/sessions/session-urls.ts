import type { StoredSession } from '../../storage/db/sessions.ts';
import { type SessionAccess, sessionSecret } from '../../system/encryption/session-secrets.ts';

type Addressed = Pick<StoredSession, 'id' | 'salt' | 'stream_web_view'>;

/** The path of a session for the bearer of a secret. */
const pathOf = (session: Addressed, access: SessionAccess, secretKey: string) =>
  `/v2/browser/${session.id}/${access === 'cdp' ? 'cdp' : 'view'}/${sessionSecret(secretKey, { ...session, access })}`;

/**
 * The URLs of a session. Who knows one of them may use the session without an API key, until it ends.
 * @param options.baseUrl base of the URLs, with http or https
 */
export function sessionUrls(
  session: Addressed,
  { baseUrl, secretKey }: { baseUrl: string; secretKey: string },
) {
  return {
    cdpUrl: baseUrl.replace(/^http/, 'ws') + pathOf(session, 'cdp', secretKey),
    ...(session.stream_web_view && {
      liveViewUrl: baseUrl + pathOf(session, 'view', secretKey),
      interactiveLiveViewUrl: baseUrl + pathOf(session, 'control', secretKey),
    }),
  };
}

/** Replaces the secret in the URL of a session, for logs. Other URLs stay as they are. */
export const hideSessionSecret = (url: string): string =>
  url.replace(/^(\/v2\/(?:browser|interact)\/[^/]*\/(?:cdp|view)\/)[^/?]+/, '$1[hidden]');
