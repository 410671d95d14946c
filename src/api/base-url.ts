import type { IncomingMessage } from 'node:http';

/**
 * The address that the client used, so that addresses in answers lead back the same way.
 * @param publicUrl the operator's word, which wins
 */
export function baseUrlOf({ headers, socket }: IncomingMessage, publicUrl: string | undefined): string {
  if (publicUrl) return publicUrl;
  const forwarded = (name: string) => [headers[name]].flat()[0]?.split(',')[0]?.trim();
  const host = forwarded('x-forwarded-host') ?? headers.host ?? 'localhost';
  const scheme = forwarded('x-forwarded-proto') ?? ('encrypted' in socket ? 'https' : 'http');
  // Proxies write ws and wss for sockets; what is read over them is read over http again.
  const http = scheme.replace(/^ws/, 'http');
  const asked = /^https?$/.test(http) ? URL.parse(`${http}://${host}`) : null;
  // What is no address is nothing to send clients to.
  return asked ? asked.origin : `http://${headers.host ?? 'localhost'}`;
}
