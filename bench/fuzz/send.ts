import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { codeOf } from '../../src/errors.ts';
import type { Answer } from './judge.ts';
import type { FuzzRequest } from './requests.ts';

/** A team and the service that it uses. */
export interface Access {
  url: string;
  key: string;
}

const agent = new Agent({ keepAlive: true });

/**
 * Sends a request as it is, which `fetch` would put in order before.
 * @param hangMs how long the whole response may take, in milliseconds
 * @throws Error if there is none in that time
 */
export async function send({ url, key }: Access, request: FuzzRequest, hangMs: number): Promise<Answer> {
  for (;;) {
    const sent = startRequest(url, {
      agent,
      method: request.method,
      path: request.target,
      headers: {
        authorization: `Bearer ${key}`,
        ...(request.body !== undefined && { 'content-length': Buffer.byteLength(request.body) }),
        ...request.headers,
      },
      signal: AbortSignal.timeout(hangMs),
    });
    try {
      return await responseTo(sent, request.body);
    } catch (error) {
      // The service closed an idle connection at the same moment (https://nodejs.org/api/http.html#requestreusedsocket).
      if (!(sent.reusedSocket && codeOf(error) === 'ECONNRESET')) throw error;
    }
  }
}

async function responseTo(sent: ReturnType<typeof startRequest>, body: FuzzRequest['body']): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
    sent.end(body);
  });
  const bytes = await buffer(response);
  return {
    status: response.statusCode ?? 0,
    mediaType: response.headers['content-type']?.split(';')[0]?.trim() ?? '',
    text: bytes.toString(),
  };
}
