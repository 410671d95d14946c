import { STATUS_CODES } from 'node:http';
import type { HeaderList } from '../../../fetch/net/exchange.ts';
import type { ArchivedExchange } from '../../archive/page-archive.ts';

/** Headers that describe how a body was sent, which is not how an archive has it. */
const TRANSFER_HEADERS = new Set(['transfer-encoding', 'content-length']);

/**
 * Writes the head of a response for the block of a record. A `Transfer-Encoding` and a `Content-Length` that the stored
 * body does not have are told under the names that other programs for archives use.
 */
export function writeResponseHead({
  statusCode,
  statusText,
  responseHeaders,
  size,
}: ArchivedExchange): string {
  const headers = responseHeaders.map(([name, value]): HeaderList[number] => [
    isOfTransfer(name, value, size) ? `X-Archive-Orig-${name}` : name,
    value,
  ]);
  const hasLength = headers.some(([name]) => name.toLowerCase() === 'content-length');
  if (!hasLength) headers.push(['Content-Length', String(size)]);
  return writeHead(`HTTP/1.1 ${statusCode} ${statusText || (STATUS_CODES[statusCode] ?? '')}`, headers);
}

const isOfTransfer = (name: string, value: string, size: number) =>
  TRANSFER_HEADERS.has(name.toLowerCase()) && value !== String(size);

/** Writes a request for the block of a record. */
export function writeRequest({ url, method, requestHeaders, requestBody = '' }: ArchivedExchange): string {
  const { host, pathname, search } = new URL(url);
  const hasHost = requestHeaders.some(([name]) => name.toLowerCase() === 'host');
  const headers: HeaderList = hasHost ? requestHeaders : [['Host', host], ...requestHeaders];
  return `${writeHead(`${method} ${pathname}${search} HTTP/1.1`, headers)}${requestBody}`;
}

const writeHead = (firstLine: string, headers: HeaderList) =>
  `${[firstLine, ...headers.map(([name, value]) => `${name}: ${value}`)].map(onOneLine).join('\r\n')}\r\n\r\n`;

/** Chromium's protocol does not promise that no name or value has a line break. */
const onOneLine = (text: string) => text.replace(/[\r\n]+/g, ' ');

/** The value of a header of a response; undefined without one. */
export const headerOf = ({ responseHeaders }: ArchivedExchange, wanted: string): string | undefined =>
  responseHeaders.find(([name]) => name.toLowerCase() === wanted)?.[1];
