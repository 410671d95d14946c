import { connect } from 'node:http2';

const RESPONSE_TIMEOUT_MS = 2000;

/**
 * Whether a Temporal server on loopback serves a namespace. It makes one hand-written gRPC call
 * (DescribeNamespace), because a gRPC client would cost the supervisor 40 MB of memory.
 */
export function isNamespaceReady(port: number, namespace: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${port}`);
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

/** Encodes a gRPC frame (flag, length) with a protobuf message whose field 1 is the namespace. */
function encodeDescribeNamespace(namespace: string): Buffer {
  const name = Buffer.from(namespace);
  if (name.length > 127) throw new RangeError(`The namespace ${namespace} is longer than 127 bytes.`);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(name.length + 2, 1);
  return Buffer.concat([frame, Buffer.from([0x0a, name.length]), name]);
}
