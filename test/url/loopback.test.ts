import { expect, it } from 'vitest';
import { isLoopback } from '../../src/url/loopback.ts';

it.each(['localhost', 'LOCALHOST', 'api.localhost', '127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1'])(
  '%s is this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

it.each(['', 'localhost.example', 'notlocalhost', '128.0.0.1', '0.0.0.0', '::', '::2', '127.0.0.1.example'])(
  '%s may be another one',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
