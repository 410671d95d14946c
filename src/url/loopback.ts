import { BlockList, isIP, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Whether a host is always this machine: an IP address or a name of its own (RFC 6761, 6.3).
 * @param host without a port, and without the brackets of IPv6
 */
export const isLoopback = (host: string): boolean =>
  isIP(host) > 0 ? LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4') : /(?:^|\.)localhost$/i.test(host);
