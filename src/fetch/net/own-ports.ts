import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Where a part of this service listens: its API, Temporal, Postgres, a proxy or a host of browser sessions. */
export interface OwnAddress {
  /** A name or an IP address; loopback and `0.0.0.0` stand for every address of this machine. */
  host: string;
  port: number;
}

/** Addresses that are parts of the service, which no page is fetched from, whatever the operator allows. */
export interface OwnPorts {
  add(own: OwnAddress): void;
  /** Replaces the addresses of other workers, which come and go. */
  replaceOthers(others: readonly OwnAddress[]): void;
  /** Whether any part has this port. Almost no site has, so only the others are looked at more closely. */
  mayInclude(port: number): boolean;
  /** Whether a part listens at this IP address and port. Names of parts are looked up anew. */
  includes(ip: string, port: number): Promise<boolean>;
}

/** Creates a list of own addresses. */
export function createOwnPorts(known: readonly OwnAddress[] = []): OwnPorts {
  const own = [...known];
  let others: readonly OwnAddress[] = [];
  const withPort = (port: number) => [...own, ...others].filter((each) => each.port === port);
  return {
    add: (address) => void own.push(address),
    replaceOthers: (addresses) => {
      others = addresses;
    },
    mayInclude: (port) => own.some((each) => each.port === port) || others.some((each) => each.port === port),
    async includes(ip, port) {
      const machines = await Promise.all(withPort(port).map(({ host }) => machinesOf(host)));
      return machines.flat().includes(machineOf(ip));
    },
  };
}

/** Stands for every IP address of this machine. */
const THIS_MACHINE = 'this machine';

/** @returns the IP address in its shortest form, or {@link THIS_MACHINE} */
function machineOf(ip: string): string {
  const address = shorten(ip);
  const range = ipaddr.parse(address).range();
  if (range === 'loopback' || range === 'unspecified') return THIS_MACHINE;
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return interfaces.some((each) => shorten(each.address) === address) ? THIS_MACHINE : address;
}

/** An IPv4 address that is written as IPv6 is the IPv4 address. */
const shorten = (ip: string) => ipaddr.process(ip.replace(/%.*$/, '')).toString();

/** A part whose name leads nowhere at the moment cannot be connected to either. */
async function machinesOf(host: string): Promise<string[]> {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) !== 0) return [machineOf(name)];
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => machineOf(address));
}
