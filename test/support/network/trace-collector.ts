import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenOnNewPort } from './listen.ts';

/** A span as a collector gets it, with its attributes as a record. */
interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string | boolean>;
  status?: { code: number; message: string };
  /** The process that has sent it. */
  process: string;
}

interface Attribute {
  key: string;
  value: Record<string, string | boolean>;
}

/** A collector of traces. */
export interface TraceCollector {
  url: string;
  spans: CollectedSpan[];
  /** The headers of the last request. */
  headers(): Record<string, unknown>;
  close(): void;
}

const toRecord = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]!]));

/** Takes in traces by OTLP/HTTP in JSON, on a port of this machine. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  let headers: Record<string, unknown> = {};
  const server = createServer(async (request, response) => {
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    ({ headers } = request);
    // The protocol has this shape.
    const { resourceSpans } = (await json(request)) as {
      resourceSpans: {
        resource: { attributes: Attribute[] };
        scopeSpans: { spans: (Omit<CollectedSpan, 'attributes'> & { attributes: Attribute[] })[] }[];
      }[];
    };
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...span,
          attributes: toRecord(span.attributes),
          process: String(toRecord(resource.attributes)['winnow.process']),
        });
    response.end('{}');
  });
  const port = await listenOnNewPort(server, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers: () => headers,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
