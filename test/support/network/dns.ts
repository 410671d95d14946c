import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const TYPE_A = 1;
const TYPE_CNAME = 5;
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

/** The response to a query: IP addresses, or an RCODE (RFC 1035, 4.1.1) such as 2 for SERVFAIL. */
type Turn = string[] | number;

/**
 * Serves addresses by name, IPv4 and IPv6 mixed; names that are not in the table do not exist. A list of
 * lists answers the first question of a type with the first list, and so on; the last one stays. An entry
 * that is no address is another name of the table: a CNAME, answered with the addresses behind it. A function
 * decides anew for each question, at once or later.
 */
export async function startDns(
  table: Record<string, string[] | string[][] | ((type: 'A' | 'AAAA') => Turn | Promise<Turn>)>,
): Promise<TestDns> {
  const socket = createSocket('udp4');
  const questions: string[] = [];

  /** A CNAME comes before what it leads to; servers answer with the whole chain. */
  async function recordsOf(entry: string, type: number): Promise<string[]> {
    if (isIP(entry) === 0) {
      const behind = await answersTo(entry, type);
      return [entry, ...(Array.isArray(behind) ? behind : [])];
    }
    return isIPv4(entry) === (type === TYPE_A) ? [entry] : [];
  }

  async function answersTo(name: string, type: number): Promise<Turn> {
    const listRecords = async (entries: string[]) =>
      (await Promise.all(entries.map((each) => recordsOf(each, type)))).flat();
    const entry = table[name];
    const typeName = type === TYPE_A ? 'A' : 'AAAA';
    const question = `${name} ${typeName}`;
    const before = questions.filter((asked) => asked === question).length;
    questions.push(question);
    if (entry === undefined) return NO_SUCH_NAME;
    if (typeof entry === 'function') {
      const turn = await entry(typeName);
      return typeof turn === 'number' ? turn : listRecords(turn);
    }
    const turn = entry.some(Array.isArray) ? entry[Math.min(before, entry.length - 1)] : entry;
    return listRecords([turn ?? []].flat(2));
  }

  socket.on('message', async (query, sender) => {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end);
    const answers = await answersTo(name, type);
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // An answer, with recursion asked for and available.
    const failed = typeof answers === 'number';
    header.writeUInt16BE(0x8180 | (failed ? answers : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(failed ? 0 : answers.length, 6);
    let owner = name;
    const records = (failed ? [] : answers).map((value) => {
      const made = record(owner, value, type);
      if (isIP(value) === 0) owner = value;
      return made;
    });
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

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function record(owner: string, value: string, type: number): Buffer {
  const isAlias = isIP(value) === 0;
  const data = isAlias ? writeName(value) : Buffer.from(ipaddr.parse(value).toByteArray());
  const head = Buffer.alloc(10);
  head.writeUInt16BE(isAlias ? TYPE_CNAME : type === TYPE_A ? TYPE_A : TYPE_AAAA, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(0, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(owner), head, data]);
}
