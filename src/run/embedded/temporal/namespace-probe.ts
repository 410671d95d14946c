import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { DIRECT_AGENT } from '../../../system/direct-agent.ts';

const RESPONSE_TIMEOUT_MS = 2000;

/**
 * Whether a Temporal server on loopback serves a namespace. It makes one hand-written gRPC call
 * (DescribeNamespace), because a gRPC client would cost the supervisor 40 MB of memory.
 */
export async function isNamespaceReady(
  { port, password }: { port: number; password?: string | undefined },
  namespace: string,
): Promise<boolean> {
  const tunnel = password === undefined ? undefined : await openTunnel(port, password);
  if (tunnel === null) return false;
  return new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${port}`, tunnel ? { createConnection: () => tunnel } : {});
    const finish = (isReady: boolean) => {
      session.destroy();
      resolve(isReady);
    };
    session.setTimeout(RESPONSE_TIMEOUT_MS, () => finish(false));
    session.on('error', () => finish(false));
    const call = session.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    call.on('error', () => finish(false));
    // A server that dies ends the connection without an error.
    call.on('close', () => finish(false));
    // An error status is in the headers (a trailers-only response), a success status in the trailers.
    call.on(
      'response',
      (headers) => headers['grpc-status'] !== undefined && finish(headers['grpc-status'] === '0'),
    );
    call.on('trailers', (trailers) => finish(trailers['grpc-status'] === '0'));
    call.resume();
    call.end(encodeDescribeNamespace(namespace));
  });
}

/** Passes the door of a server in its own network. @returns `null` if it is not open */
async function openTunnel(port: number, password: string): Promise<Socket | null> {
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    method: 'CONNECT',
    path: `127.0.0.1:${port}`,
    headers: { 'Proxy-Authorization': `Basic ${Buffer.from(`winnow:${password}`).toString('base64')}` },
    timeout: RESPONSE_TIMEOUT_MS,
    agent: DIRECT_AGENT,
  });
  request.once('timeout', () => request.destroy(new Error('the door does not respond')));
  request.end();
  try {
    const [response, socket] = await once(request, 'connect');
    if (response.statusCode === 200) return socket;
    socket.destroy();
    return null;
  } catch {
    return null; // The server starts or has ended.
  }
}

/** Encodes a gRPC frame (flag, length) with a protobuf message whose field 1 is the namespace. */
function encodeDescribeNamespace(namespace: string): Buffer {
  const name = Buffer.from(namespace);
  if (name.length > 127) throw new RangeError(`The namespace ${namespace} is longer than 127 bytes.`);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(name.length + 2, 1);
  return Buffer.concat([frame, Buffer.from([0x0a, name.length]), name]);
}
