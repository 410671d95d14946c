import { Agent, type Dispatcher, ProxyAgent, type RequestInit, fetch as undiciFetch } from 'undici';

/**
 * Creates a `fetch` for an endpoint that the operator of the service configured. Such an endpoint may have a
 * private IP address, so the address policy for pages does not apply. Redirects are not followed; they are
 * responses with their status. The caller ends a request by its signal.
 * @param options.maxResponseBytes the maximum size of a response
 * @param options.proxy URL of an HTTP proxy to use
 */
export function createOperatorFetch({
  maxResponseBytes,
  proxy,
}: {
  maxResponseBytes: number;
  proxy?: string | undefined;
}): typeof fetch {
  const limits = { maxResponseSize: maxResponseBytes, headersTimeout: 0, bodyTimeout: 0 };
  const dispatcher: Dispatcher = proxy ? new ProxyAgent({ uri: proxy, ...limits }) : new Agent(limits);
  const send = (url: string | URL, init: RequestInit = {}) =>
    undiciFetch(url, { ...init, redirect: 'manual', dispatcher });
  // The `fetch` of undici and the global one have the same interface, but types of their own.
  return send as unknown as typeof fetch;
}
