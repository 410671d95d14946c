import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { codeOf } from '../../errors.ts';

/** The credentials of HTTP's scheme Basic. */
interface Credentials {
  username: string;
  password: string;
}

/**
 * Decides whose connections the egress proxies of this process serve. Every program of the machine can reach a
 * port of loopback, and would fetch with the addresses and the upstream proxies of the service.
 */
export class ProxyAccess {
  readonly #credentials: Credentials = {
    username: 'winnow',
    password: randomBytes(24).toString('base64url'),
  };
  readonly #allowed = new WeakSet<Socket>();
  #browserUid: number | undefined;

  /** Adds the credentials to the URL of a proxy. Only what other users cannot read may have it. */
  authorize(url: string): string {
    const { username, password } = this.#credentials;
    return url.replace('://', `://${username}:${password}@`);
  }

  /** Allows a connection that came from the network of a browser, which nothing else is in. */
  allow(connection: Socket): void {
    this.#allowed.add(connection);
  }

  /**
   * Allows connections of a user. It is for browsers without a network of their own, because Chromium takes no
   * credentials from its command line and sends none unasked.
   */
  allowUser(uid: number): void {
    this.#browserUid = uid;
  }

  /** @param given the credentials of the request, if it has any */
  allows(connection: Socket, given: Partial<Credentials>): boolean {
    if (this.#allowed.has(connection)) return true;
    const isAllowed =
      (isEqual(given.username, this.#credentials.username) &&
        isEqual(given.password, this.#credentials.password)) ||
      (this.#browserUid !== undefined && isOfUser(connection, this.#browserUid));
    // The user of a connection costs a system call, and a browser sends many requests over each.
    if (isAllowed) this.#allowed.add(connection);
    return isAllowed;
  }
}

function isEqual(given: string | null | undefined, expected: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** 127.0.0.1 as proc(5) writes it on machines of either byte order. */
const LOOPBACK = ['0100007F', '7F000001'];
const TCP_TABLE = '/proc/net/tcp';

/**
 * Whether the other end of a connection over loopback is a socket of a user: the kernel lists both ends with
 * their owners. Systems without that list have no network namespaces either, and there everything is allowed.
 */
function isOfUser({ remotePort = 0, localPort = 0 }: Socket, uid: number): boolean {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  try {
    const ends = LOOPBACK.map((ip) => `: ${ip}:${hex(remotePort)} ${ip}:${hex(localPort)} `);
    const line = readFileSync(TCP_TABLE, 'utf8')
      .split('\n')
      .find((each) => ends.some((end) => each.includes(end)));
    return Number(line?.trim().split(/\s+/)[7] ?? Number.NaN) === uid;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}
