import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import type { Config } from '../../config.ts';

/** Determines the base of the URLs in the response to a request, without a slash at the end. */
export type FindBaseUrl = (request: IncomingMessage) => string;

/**
 * Creates a function that determines the origin under which a client reached the service. URLs in responses
 * begin with it, so that they work for that client even if the service is behind a proxy.
 * @param config.publicUrl the base URL that the operator configured; it overrides what requests say
 * @param config.trustedProxies the CIDRs of the proxies whose `X-Forwarded-*` headers count. Those of anybody
 * else are ignored, because any client can send them
 */
export function createBaseUrl({
  publicUrl,
  trustedProxies,
}: Pick<Config, 'publicUrl' | 'trustedProxies'>): FindBaseUrl {
  if (publicUrl) return () => publicUrl;
  const proxies = new BlockList();
  for (const cidr of trustedProxies) {
    const [address = '', bits] = cidr.split('/');
    const isIPv6Range = isIPv6(address);
    proxies.addSubnet(address, Number(bits ?? (isIPv6Range ? 128 : 32)), isIPv6Range ? 'ipv6' : 'ipv4');
  }
  return (request) => {
    const { remoteAddress = '' } = request.socket;
    return requestedOrigin(request, proxies.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4'));
  };
}

function requestedOrigin({ headers, socket }: IncomingMessage, isForwarded: boolean): string {
  const forwarded = (name: string) =>
    isForwarded ? [headers[name]].flat()[0]?.split(',')[0]?.trim() : undefined;
  const host = forwarded('x-forwarded-host') ?? headers.host ?? 'localhost';
  const scheme = forwarded('x-forwarded-proto') ?? ('encrypted' in socket ? 'https' : 'http');
  // Proxies report ws or wss for WebSockets, but the URLs sent over a WebSocket are requested over HTTP.
  const http = scheme.replace(/^ws/, 'http');
  const forwardedUrl = /^https?$/.test(http) ? URL.parse(`${http}://${host}`) : null;
  // Forwarded headers that do not form a valid URL are ignored.
  return forwardedUrl ? forwardedUrl.origin : `http://${headers.host ?? 'localhost'}`;
}
