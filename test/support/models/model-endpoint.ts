import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A chat completion that was asked for. */
export interface ModelRequest {
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: the endpoint reads requests as a server without types does
  body: any;
  /** The text of all messages. */
  prompt: string;
  /** The number of requests before it. */
  index: number;
}

/** Returns the names of the tools that a request offers, in their order. */
export const toolsOfferedBy = ({ body }: ModelRequest): string[] =>
  (body.tools ?? []).map((tool: { function: { name: string } }) => tool.function.name);

/** The tools of a prompt in a browser session. */
export const TOOLS_OF_PROMPTS = ['open', 'read', 'click', 'type', 'scroll', 'wait', 'extract', 'answer'];

/** The reaction of the endpoint to a request; a string is the text of a completion. */
export type ModelReply =
  | string
  | {
      text?: string;
      calls?: { name: string; input: unknown }[];
      /** Why the completion ended; `stop` by default, `tool_calls` with calls. */
      finishReason?: 'stop' | 'length' | 'tool_calls';
      /** Counted tokens; by default a quarter of the characters. `null` leaves out the usage. */
      promptTokens?: number | null;
      /** Sends the response in pieces of 20 bytes, with this pause between them. */
      pieceMs?: number;
    }
  /** A response that is no completion. */
  | { status: number; headers?: Record<string, string>; body?: string }
  /** No response at all. */
  | 'silence'
  /** The connection is closed, before the response or in the middle of it. */
  | 'closed'
  | 'closed halfway';

/** An OpenAI-compatible endpoint that follows a script. */
export interface ModelEndpoint extends AsyncDisposable {
  /** Its base URL. */
  url: string;
  /** Every request for a completion so far, in order. */
  requests: ModelRequest[];
  /** Decides about every request from now on. */
  reply(script: (request: ModelRequest) => ModelReply | Promise<ModelReply>): void;
}

/** The response of an endpoint that does not know a kind of `response_format`. */
export const REFUSED_FORMAT: ModelReply = {
  status: 400,
  body: JSON.stringify({
    error: { message: "'response_format.type' must be 'text'", type: 'invalid_request_error' },
  }),
};

/** Serves `/v1/chat/completions` and `/v1/models` over HTTP. */
export async function startModelEndpoint(models: string[] = ['test-model']): Promise<ModelEndpoint> {
  let script: (request: ModelRequest) => ModelReply | Promise<ModelReply> = () => 'ok';
  const requests: ModelRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith('/v1/models')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }));
      return;
    }
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const prompt = body.messages.map((message: { content: unknown }) => textOf(message.content)).join('\n');
    const one: ModelRequest = { headers: request.headers, body, prompt, index: requests.length };
    requests.push(one);
    await send(response, await script(one), one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    reply(next) {
      script = next;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The text of the content of a message, which may be a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string' || content === null) return content ?? '';
  return Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : '';
}

async function send(
  response: ServerResponse,
  reply: ModelReply,
  { body, prompt }: ModelRequest,
): Promise<void> {
  if (reply === 'silence') return;
  if (reply === 'closed' || reply === 'closed halfway') {
    if (reply === 'closed halfway') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
      await new Promise((resolve) => response.write('{"choices":', resolve));
    }
    response.destroy();
    return;
  }
  if (typeof reply === 'object' && 'status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body ?? '{"error":{"message":"scripted"}}');
    return;
  }
  const { text = '', calls = [], ...rest } = typeof reply === 'string' ? { text: reply } : reply;
  const { finishReason = calls.length ? 'tool_calls' : 'stop', pieceMs } = rest;
  const promptTokens = rest.promptTokens === undefined ? Math.ceil(prompt.length / 4) : rest.promptTokens;
  const message = {
    role: 'assistant',
    content: text,
    ...(calls.length && {
      tool_calls: calls.map(({ name, input }, index) => ({
        id: `call-${index}`,
        type: 'function',
        function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
      })),
    }),
  };
  const completion = {
    id: 'completion',
    object: 'chat.completion',
    created: 0,
    model: body.model,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    ...(promptTokens !== null && {
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: 10,
        total_tokens: promptTokens + 10,
      },
    }),
  };
  const json = JSON.stringify(completion);
  response.writeHead(200, { 'content-type': 'application/json' });
  if (pieceMs === undefined) {
    response.end(json);
    return;
  }
  for (let start = 0; start < json.length && !response.destroyed; start += 20) {
    response.write(json.slice(start, start + 20));
    await sleep(pieceMs);
  }
  response.end();
}
