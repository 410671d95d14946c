import { describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../../src/fetch/net/address-policy.ts';

const REFUSED = [
  '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254',
  '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.0.1', '198.18.0.1', '198.51.100.7',
  '168.63.129.16', '::ffff:168.63.129.16', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255',
  '::', '::1', 'fe80::1', 'fe80::1%lo', 'fc00::1', 'fd12:3456::1', 'fec0::1', 'ff02::1', '100::1', '100:2::1',
  '2001:db8::1', '3fff::1', '2001:2::1', '2001:10::1', '2001:20::1', '5f00::1', '4000::1', 'e000::1',
  '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:192.168.1.1',
  '::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::7f00:1',
  '2002:7f00:1::', '2002:a9fe:a9fe::1', '2001:0:7f00:1::', '2001:0:53aa:64c:0:fffe:80ff:fffe',
  // No addresses as sockets take them, whatever they could be read as.
  '', 'localhost', '0x7f.1', '017700000001', '2130706433', '127.1', '0177.0.0.1', '[::1]', '8.8.8.8.8', ' 8.8.8.8',
]; // biome-ignore format: a table
const PUBLIC = ['168.63.129.15', '168.63.129.17', '1.1.1.1', '8.8.8.8', '93.184.216.34', '172.32.0.1', '100.128.0.1', '169.253.1.1', '::ffff:8.8.8.8', '2606:4700::1111', '2a00:1450:4001::200e']; // biome-ignore format: a table

describe('the address policy', () => {
  const policy = createAddressPolicy([]);

  it.each(REFUSED)('refuses %j', (ip) => {
    expect(policy.allows(ip)).toBe(false);
  });

  it.each(PUBLIC)('allows %s', (ip) => {
    expect(policy.allows(ip)).toBe(true);
  });

  it('allows listed ranges in addition to public addresses, and no neighbouring address', () => {
    const { allows } = createAddressPolicy(['127.0.0.0/8', ' fd00::/8', '10.1.2.3', '::1/128']);
    const asked = [
      '127.9.9.9',
      '::ffff:127.0.0.1',
      'fd12::1',
      '10.1.2.3',
      '::1',
      '8.8.8.8',
      '10.1.2.4',
      '::2',
      'fc00::1',
    ];
    expect(asked.map(allows)).toEqual([true, true, true, true, true, true, false, false, false]);
  });

  it.each([
    '10.0.0.0/33',
    'intranet',
    '10.0.0/8',
    '10.0.0.0/',
    'fd00::/129',
    '127.1/8',
    '/8',
    '10.0.0.0/8/8',
  ])('reports a CIDR that it cannot parse: %j', (cidr) => {
    expect(() => createAddressPolicy(['127.0.0.0/8', cidr])).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(JSON.stringify(cidr)),
      }),
    );
  });
});
