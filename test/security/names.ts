/**
 * The records of the DNS server of the instance under test. Of this machine, only 127.0.0.2 may be fetched
 * from.
 */
export const NAMES: Record<string, string[] | string[][]> = {
  'open.test': ['127.0.0.2'],
  'alias-of-open.test': ['open.test'],
  'inside.test': ['127.0.0.1'],
  'inside6.test': ['::1'],
  'other-loopback.test': ['127.0.0.3'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'compatible.test': ['::127.0.0.1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  '6to4.test': ['2002:7f00:1::'],
  'zero.test': ['0.0.0.0'],
  'zero6.test': ['::'],
  'ten.test': ['10.0.0.1'],
  'cgnat.test': ['100.64.0.1'],
  'link-local.test': ['fe80::1'],
  'metadata.test': ['169.254.169.254'],
  'metadata6.test': ['fd00:ec2::254'],
  'multicast.test': ['224.0.0.1'],
  'broadcast.test': ['255.255.255.255'],
  'mixed.test': ['127.0.0.2', '127.0.0.1'],
  'mixed-order.test': ['127.0.0.1', '127.0.0.2'],
  'mixed-families.test': ['127.0.0.2', '::1'],
  'alias.test': ['inside.test'],
  'alias-of-alias.test': ['alias.test'],
  // Never asked: it is loopback by definition.
  localhost: ['127.0.0.2'],
  '127.0.0.1.wildcard.test': ['127.0.0.1'],
  'xn--bcher-kva.test': ['127.0.0.1'],
  'under_score.test': ['127.0.0.1'],
  'rebinding-http.test': [['127.0.0.2'], ['127.0.0.1']],
  'rebinding-browser.test': [['127.0.0.2'], ['127.0.0.1']],
  'rebinding-redirect-http.test': [['127.0.0.2'], ['127.0.0.1']],
  'rebinding-redirect-browser.test': [['127.0.0.2'], ['127.0.0.1']],
  'rebinding-later.test': [['127.0.0.2'], ['127.0.0.1']],
};
