import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Which bytes a fault concerns: those of the client on their way to the server, of the server, or both. */
type Direction = 'both' | 'to server' | 'to client';

/** What is wrong with the network between a client and a server. */
export type NetworkFault =
  /** Every connection is reset, and so is every new one. */
  | { kind: 'cut' }
  /** Connections stay open and nothing arrives. What was sent meanwhile arrives when the fault ends. */
  | { kind: 'hang'; direction?: Direction }
  /** Like `hang`, but connections of before and of the time of the fault stay silent after it, until someone closes them. */
  | { kind: 'forget' }
  /** Everything arrives later. */
  | { kind: 'delay'; ms: number }
  /** This share of what is sent, from 0 to 1, arrives later, as after a lost packet, and so does all that follows it. */
  | { kind: 'loss'; share: number; ms: number }
  /** Requests that begin with the pattern get this response in place of the server's; all others reach it. */
  | { kind: 'respond'; to: RegExp; response: string };

/** A TCP proxy on loopback between a client and a server, which can be made faulty. */
export interface FaultyProxy {
  port: number;
  /** How many connections are open. */
  readonly connections: number;
  /** How much has been sent, and not arrived, since connections began to hang. */
  readonly held: number;
  /** Makes the network faulty, in place of what was wrong with it before. */
  begin(fault: NetworkFault): void;
  /** Mends the network. */
  end(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The state of the network that all connections of a proxy share. */
interface Network {
  fault: NetworkFault | undefined;
  held: number;
  /** Settles when the fault changes. */
  changed: PromiseWithResolvers<void>;
}

interface Connection {
  client: Socket;
  server: Socket;
  network: Network;
  /** Nothing arrives any more. */
  isForgotten: boolean;
  /** The client got a response that is not the server's, so the rest of its request goes nowhere. */
  isAnswered: boolean;
}

/** Bytes that are under way in one direction at most, as in the buffers of a network. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Starts a proxy in front of the server at a port of loopback. */
export async function startFaultyProxy(serverPort: number, host = '127.0.0.1'): Promise<FaultyProxy> {
  const network: Network = { fault: undefined, held: 0, changed: Promise.withResolvers() };
  const connections = new Set<Connection>();
  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => client.destroy());
    if (network.fault?.kind === 'cut') return void client.resetAndDestroy();
    const server = connect({ port: serverPort, host, allowHalfOpen: true });
    const isForgotten = network.fault?.kind === 'forget';
    const connection = { client, server, network, isForgotten, isAnswered: false };
    connections.add(connection);
    client.once('close', () => connections.delete(connection));
    join(connection);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  // A TCP server's address is never a path.
  const { port } = proxy.address() as AddressInfo;
  const change = (fault: NetworkFault | undefined) => {
    network.fault = fault;
    network.held = 0;
    const { resolve } = network.changed;
    network.changed = Promise.withResolvers();
    resolve();
  };
  const cutAll = () => {
    for (const { client, server } of connections) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  };
  const close = async () => {
    const closed = once(proxy, 'close');
    proxy.close();
    cutAll();
    await closed;
  };
  return {
    port,
    get connections() {
      return connections.size;
    },
    get held() {
      return network.held;
    },
    begin(fault) {
      change(fault);
      if (fault.kind === 'cut') cutAll();
      if (fault.kind === 'forget') for (const connection of connections) connection.isForgotten = true;
    },
    end: () => change(undefined),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Passes on what client and server send, and that one of them has closed the connection. */
function join(connection: Connection): void {
  const { client, server } = connection;
  server.on('error', () => server.destroy());
  client.once('close', () => void arrival(connection, 'to server').then(() => server.destroy()));
  server.once('close', () => void arrival(connection, 'to client').then(() => client.destroy()));
  passOn(connection, { from: client, to: server, direction: 'to server' });
  passOn(connection, { from: server, to: client, direction: 'to client' });
}

/** Passes on the bytes of one direction, in order. */
function passOn(
  connection: Connection,
  { from, to, direction }: { from: Socket; to: Socket; direction: 'to server' | 'to client' },
): void {
  let last = Promise.resolve();
  let waiting = 0;
  const enqueue = (bytes: number, deliver: () => void) => {
    const arrived = arrival(connection, direction);
    waiting += bytes;
    if (waiting > MAX_WAITING_BYTES) from.pause();
    last = last
      .then(() => arrived)
      .then(() => {
        waiting -= bytes;
        if (waiting <= MAX_WAITING_BYTES) from.resume();
        if (!to.destroyed) deliver();
      });
  };
  from.on('data', (chunk: Buffer) => {
    if (direction === 'to server' && isAnswered(connection, chunk)) return;
    enqueue(chunk.length, () => void to.write(chunk));
  });
  from.on('end', () => enqueue(0, () => void to.end()));
}

/** Whether the client has got the response of a fault to what it has begun to send. */
function isAnswered(connection: Connection, chunk: Buffer): boolean {
  const { client, network } = connection;
  const { fault } = network;
  if (!connection.isAnswered && fault?.kind === 'respond' && fault.to.test(chunk.toString('latin1'))) {
    connection.isAnswered = true;
    client.end(fault.response);
  }
  return connection.isAnswered;
}

/** Resolves when what is sent now arrives, which may be never. */
async function arrival(connection: Connection, direction: Direction): Promise<void> {
  const { network, isForgotten } = connection;
  if (isForgotten) return new Promise(() => undefined);
  const { fault, changed } = network;
  switch (fault?.kind) {
    case 'delay':
      return sleep(fault.ms);
    case 'loss':
      return Math.random() < fault.share ? sleep(fault.ms) : undefined;
    case 'hang':
      if (![undefined, 'both', direction].includes(fault.direction)) return undefined;
      network.held++;
      await changed.promise;
      return arrival(connection, direction);
    default:
      return undefined;
  }
}
