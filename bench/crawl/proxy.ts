import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** A request that the proxy forwarded. */
interface Passed {
  method: string;
  /** Path with the query string. */
  path: string;
  /** Time in milliseconds since 1970. */
  at: number;
}

/** Starts a proxy in front of the API that records all requests. URLs in responses lead to the proxy too. */
export async function startProxy(target: string) {
  const passed: Passed[] = [];
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    passed.push({ method, path, at: Date.now() });
    // The headers include `Host`, from which the API makes the URLs in responses.
    const onward = forward(new URL(path, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response, () => undefined);
    });
    pipeline(request, onward, (error) => error && response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
