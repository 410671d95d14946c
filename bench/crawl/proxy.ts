import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** A request as it came by. */
interface Passed {
  method: string;
  /** With its query. */
  path: string;
  /** When it came, in milliseconds since 1970. */
  at: number;
}

/** Stands before the API and writes down who asks for what; addresses in answers lead to it, too. */
export async function startProxy(target: string) {
  const passed: Passed[] = [];
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    passed.push({ method, path, at: Date.now() });
    // With the headers goes `Host`, which the API makes its addresses from.
    const onward = forward(new URL(path, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response, () => undefined);
    });
    pipeline(request, onward, (error) => error && response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a TCP port, the address is never a path.
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
