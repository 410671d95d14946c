/**
 * Runs beside the embedded Temporal server, in its network: lets in whoever knows the password. The supervisor
 * sends a listening socket of the machine for each port. It is JavaScript, because stripping types would take a
 * fifth of the time of its start.
 */
import { timingSafeEqual } from 'node:crypto';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';

/**
 * Connections of clients that have not shown the password yet. The longest waiting one is closed for the next one, so
 * that users of the machine who do not know it can take up neither all descriptors nor all of these.
 */
const MAX_HANDSHAKES = 256;
/** How long a client may take to send the headers with the password, in milliseconds. */
const TIMEOUTS = { headersTimeout: 10_000, connectionsCheckingInterval: 5_000 };

/** Connects to the web interface. Node's own agent uses the proxy of the environment (`HTTP_PROXY`). */
const PAGES_AGENT = new Agent({ keepAlive: true });

/** A message is a port in this network, with its socket outside, and the password. */
process.on('message', ({ kind, port, password }, handle) => {
  const isAllowed = createCheck(`winnow:${password}`);
  const server = kind === 'grpc' ? createTunnels(port, isAllowed) : createPages(port, isAllowed);
  // A client that cannot be served is no reason to end.
  server.on('error', (error) => console.error(String(error)));
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('connection', watchHandshake);
  server.listen(handle);
});

/** The longest waiting one first. @type {Set<import('node:net').Socket>} */
const handshakes = new Set();

/** @param {import('node:net').Socket} socket */
function watchHandshake(socket) {
  handshakes.add(socket);
  socket.once('close', () => handshakes.delete(socket));
  const [oldest] = handshakes;
  if (handshakes.size > MAX_HANDSHAKES) oldest?.destroy();
}

/** @typedef {(header?: string) => boolean} Check whether a header has the credentials */

/**
 * Checks the credentials of HTTP's scheme Basic.
 * @param {string} credentials user and password
 * @returns {Check}
 */
function createCheck(credentials) {
  const expected = Buffer.from(`Basic ${Buffer.from(credentials).toString('base64')}`);
  return (header = '') => {
    const given = Buffer.from(header);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}

/**
 * Tunnels to the gRPC port, by the method CONNECT, whatever target is named.
 * @param {number} port
 * @param {Check} isAllowed
 */
function createTunnels(port, isAllowed) {
  const server = createServer(TIMEOUTS, (_request, response) =>
    response.writeHead(404, { Connection: 'close' }).end(),
  );
  server.on('connect', (request, client, head) => {
    client.on('error', () => client.destroy());
    if (!isAllowed(request.headers['proxy-authorization'])) {
      client.write(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="Temporal"\r\nContent-Length: 0\r\n\r\n',
      );
      // A client that does not close its side would keep the descriptor.
      request.socket.destroySoon();
      return;
    }
    handshakes.delete(request.socket);
    const target = connect({ port, host: '127.0.0.1', noDelay: true });
    target.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) client.unshift(head);
      // The server speaks at once, and not every client reads on after the response to CONNECT without losing that.
      client.once('data', (preface) => {
        target.write(preface);
        client.pipe(target);
        target.pipe(client);
      });
    });
    target.on('error', () => client.destroy());
    target.on('close', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  return server;
}

/**
 * Serves the web interface.
 * @param {number} port
 * @param {Check} isAllowed
 */
function createPages(port, isAllowed) {
  return createServer(TIMEOUTS, (request, response) => {
    const { authorization, ...headers } = request.headers;
    if (!isAllowed(authorization)) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="Temporal"', Connection: 'close' }).end();
      return;
    }
    handshakes.delete(request.socket);
    const { method, url: path } = request;
    const forwarded = httpRequest(
      { agent: PAGES_AGENT, host: '127.0.0.1', port, method, path, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
}
