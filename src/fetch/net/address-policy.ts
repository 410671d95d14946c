import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../../errors.ts';

/** Decides which IP addresses may be connected to. */
export interface AddressPolicy {
  /** @param ip an IP address as sockets accept it; anything else (names, `0x7f.1`) is never allowed */
  allows(ip: string): boolean;
}

type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * All global IPv6 unicast addresses allocated so far (RFC 4291 2.4, IANA); the rest is special or unassigned.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Addresses that look public, but lead to the host of a cloud's machine instead of the internet: the platform
 * of Azure, which hands out settings and certificates of the machine.
 */
const HOST_ADDRESSES = new Set(['168.63.129.16']);

function parseCidr(text: string): Cidr {
  const [address = '', bits] = text.trim().split('/');
  const family = isIP(address);
  if (family !== 0) {
    const whole = bits === undefined ? `${address}/${family === 4 ? 32 : 128}` : text.trim();
    if (ipaddr.isValidCIDR(whole)) return ipaddr.parseCIDR(whole);
  }
  throw new ServiceError(
    'BAD_REQUEST',
    `WINNOW_ALLOW_PRIVATE: ${JSON.stringify(text)} is not a CIDR. Write ranges as 10.0.0.0/8 or fd00::/8, separated by commas.`,
  );
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // The range `unicast` excludes all private, special and translating (NAT64, 6to4, Teredo) ranges of both
  // families.
  if (address.range() !== 'unicast' || HOST_ADDRESSES.has(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

/**
 * Creates a policy that allows public addresses and the listed ranges.
 * @throws ServiceError `BAD_REQUEST` that names a CIDR that cannot be parsed
 */
export function createAddressPolicy(allowedCidrs: readonly string[]): AddressPolicy {
  const allowedRanges = allowedCidrs.map(parseCidr);
  return {
    allows(ip) {
      if (isIP(ip) === 0) return false;
      const address = ipaddr.process(ip);
      if (isPublic(address)) return true;
      return allowedRanges.some(
        ([range, bits]) => address.kind() === range.kind() && address.match(range, bits),
      );
    },
  };
}
