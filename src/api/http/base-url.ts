import type { IncomingMessage } from 'node:http';

/**
 * Determines the origin under which the client reached the service. URLs in responses begin with it, so that
 * they work for that client even if the service is behind a proxy.
 * @param publicUrl the base URL that the operator configured; it overrides the headers
 */
export function requestBaseUrl({ headers, socket }: IncomingMessage, publicUrl: string | undefined): string {
  if (publicUrl) return publicUrl;
  const forwarded = (name: string) => [headers[name]].flat()[0]?.split(',')[0]?.trim();
  const host = forwarded('x-forwarded-host') ?? headers.host ?? 'localhost';
  const scheme = forwarded('x-forwarded-proto') ?? ('encrypted' in socket ? 'https' : 'http');
  // Proxies report ws or wss for WebSockets, but the URLs sent over a WebSocket are requested over HTTP.
  const http = scheme.replace(/^ws/, 'http');
  const forwardedUrl = /^https?$/.test(http) ? URL.parse(`${http}://${host}`) : null;
  // Forwarded headers that do not form a valid URL are ignored.
  return forwardedUrl ? forwardedUrl.origin : `http://${headers.host ?? 'localhost'}`;
}
