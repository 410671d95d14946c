import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NO_SUCH_NAME = 3;

/** A DNS server on loopback that answers from a table. */
export interface TestDns {
  /** `host:port`, as in WINNOW_DNS. */
  address: string;
  /** Questions so far, as `name A` or `name AAAA`. */
  questions: string[];
  close(): Promise<void>;
}

/**
 * Serves addresses by name, IPv4 and IPv6 mixed; names that are not in the table do not exist.
 * A list of lists answers the first question of a type with the first list, and so on; the last one stays.
 */
export async function startDns(table: Record<string, string[] | string[][]>): Promise<TestDns> {
  const socket = createSocket('udp4');
  const questions: string[] = [];

  function answersTo(name: string, type: number): string[] | undefined {
    const entry = table[name];
    const question = `${name} ${type === TYPE_A ? 'A' : 'AAAA'}`;
    const before = questions.filter((asked) => asked === question).length;
    questions.push(question);
    const turn = entry?.some(Array.isArray) ? entry[Math.min(before, entry.length - 1)] : entry;
    return turn === undefined ? undefined : [turn].flat(2).filter((ip) => isIPv4(ip) === (type === TYPE_A));
  }

  socket.on('message', (query, sender) => {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end);
    const answers = answersTo(name, type);
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // An answer, with recursion asked for and available.
    header.writeUInt16BE(0x8180 | (answers ? 0 : NO_SUCH_NAME), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers?.length ?? 0, 6);
    const records = (answers ?? []).map((ip) => record(ip, type));
    socket.send(
      Buffer.concat([header, query.subarray(12, end + 4), ...records]),
      sender.port,
      sender.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function record(ip: string, type: number): Buffer {
  const address = Buffer.from(ipaddr.parse(ip).toByteArray());
  const head = Buffer.alloc(12);
  // The name is a pointer to the question's.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type === TYPE_A ? TYPE_A : TYPE_AAAA, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(0, 6);
  head.writeUInt16BE(address.length, 10);
  return Buffer.concat([head, address]);
}
