import { archivedRequestHeaders, archivedUrl, type Exchange, type HeaderList } from '../../net/exchange.ts';
import type { Session } from '../chromium/cdp.ts';

/** Maximum number of requests that are kept of one page. */
const MAX_EXCHANGES = 500;
/** Maximum number of body bytes that are kept of the requests of one page, its document aside. */
const MAX_BYTES = 16 * 1024 * 1024;

/** What was kept of a page for a web archive. */
export interface RecordedPage {
  exchanges: Exchange[];
  /** Number of responses that were not kept, because there were too many or too large ones. */
  leftOut: number;
}

/** A request, with the headers of each of its responses as they were on the wire. */
interface OpenRequest {
  exchange: Exchange;
  /** The responses before the last one, which redirected. */
  redirects: Exchange[];
  isDocument: boolean;
  /** Bytes of the body until now. */
  bytes: number;
}

type RawHeaders = { statusCode: number; headers: Record<string, string> };

/** Keeps the requests of a page with their responses as they come, within limits. */
export class ResponseRecorder {
  readonly #mainFrameId: string;
  readonly #userHeaders: Record<string, string>;
  readonly #finished: Promise<Exchange[]>[] = [];
  #count = 0;
  #bytes = 0;
  #leftOut = 0;

  /** @param userHeaders headers of the user, which are not kept */
  constructor(mainFrameId: string, userHeaders: Record<string, string>) {
    this.#mainFrameId = mainFrameId;
    this.#userHeaders = userHeaders;
  }

  /** Watches a session, before `Network.enable` is sent to it. */
  watch(session: Session): void {
    const requests = new Map<string, OpenRequest>();
    const rawHeaders = new Map<string, RawHeaders[]>();
    session.on('Network.requestWillBeSent', ({ requestId, request, wallTime, type, frameId, ...sent }) => {
      const before = requests.get(requestId);
      if (!/^https?:/i.test(request.url)) return;
      const exchange: Exchange = {
        url: archivedUrl(request.url),
        method: request.method,
        requestHeaders: archivedRequestHeaders(request.headers, this.#userHeaders),
        ...(request.postData !== undefined && { requestBody: request.postData }),
        statusCode: 0,
        statusText: '',
        responseHeaders: [],
        body: new Uint8Array(),
        startedAt: Math.round(wallTime * 1_000),
      };
      const isDocument = type === 'Document' && frameId === this.#mainFrameId;
      const redirects = before?.redirects ?? [];
      if (before && sent.redirectResponse) {
        addResponse(before.exchange, sent.redirectResponse);
        redirects.push(before.exchange);
      }
      requests.set(requestId, { exchange, redirects, isDocument, bytes: 0 });
    });
    session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode, headers }) => {
      const known = rawHeaders.get(requestId) ?? [];
      // A request has one more response than redirects, of which there are at most twenty.
      if (known.length < MAX_EXCHANGES) rawHeaders.set(requestId, [...known, { statusCode, headers }]);
    });
    session.on('Network.responseReceived', ({ requestId, response }) => {
      const request = requests.get(requestId);
      if (request) addResponse(request.exchange, response);
    });
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      const request = requests.get(requestId);
      if (request) request.bytes += dataLength;
    });
    session.on('Network.loadingFailed', ({ requestId }) => {
      requests.delete(requestId);
      rawHeaders.delete(requestId);
    });
    session.on('Network.loadingFinished', ({ requestId }) => {
      const request = requests.get(requestId);
      requests.delete(requestId);
      if (!request?.exchange.statusCode || !this.#hasRoom(request)) return rawHeaders.delete(requestId);
      // The headers of the wire may arrive after the end.
      const raw = () => rawHeaders.get(requestId) ?? [];
      return this.#finished.push(finish(session, requestId, request, raw));
    });
  }

  #hasRoom({ isDocument, redirects, bytes }: OpenRequest): boolean {
    const hasRoom = this.#count + redirects.length < MAX_EXCHANGES && this.#bytes + bytes <= MAX_BYTES;
    if (!hasRoom && !isDocument) {
      this.#leftOut++;
      return false;
    }
    this.#count += redirects.length + 1;
    if (!isDocument) this.#bytes += bytes;
    return true;
  }

  /** Returns the requests that have ended until now, in the order of their ends. */
  async take(): Promise<RecordedPage> {
    const exchanges = (await Promise.all(this.#finished)).flat();
    return { exchanges, leftOut: this.#leftOut };
  }
}

/** Reads the body of a response. Without it, there is nothing to keep: the browser has dropped it already. */
async function finish(
  session: Session,
  requestId: string,
  { exchange, redirects }: OpenRequest,
  readRawHeaders: () => RawHeaders[],
): Promise<Exchange[]> {
  const body = await session.send('Network.getResponseBody', { requestId }).catch(() => undefined);
  if (!body) return [];
  exchange.body = Buffer.from(body.body, body.base64Encoded ? 'base64' : 'utf8');
  const raw = readRawHeaders();
  for (const [index, each] of [...redirects, exchange].entries()) {
    const { statusCode, headers } = raw[index] ?? {};
    if (headers && statusCode === each.statusCode) each.responseHeaders = listHeaders(headers);
    each.responseHeaders = each.responseHeaders.map(asDecoded);
  }
  return [...redirects, exchange];
}

/** Chromium joins the values of a repeated header with line breaks. */
const listHeaders = (headers: Record<string, string>): HeaderList =>
  Object.entries(headers).flatMap(([name, values]) =>
    values.split('\n').map((value) => [name, value] satisfies [string, string]),
  );

/** Chromium has decoded the body, so that its coding is told by another name, as other programs for archives do. */
const asDecoded = ([name, value]: HeaderList[number]): HeaderList[number] => [
  name.toLowerCase() === 'content-encoding' ? `X-Archive-Orig-${name}` : name,
  value,
];

function addResponse(
  exchange: Exchange,
  { status, statusText, headers }: { status: number; statusText: string; headers: Record<string, string> },
): void {
  Object.assign(exchange, { statusCode: status, statusText, responseHeaders: listHeaders(headers) });
}
