import type { NetworkFault } from '../../test/support/network/faulty-proxy.ts';
import type { Dependency, Linked } from '../cluster/options.ts';
import { DATABASE_FAULTS } from './database-faults.ts';
import type { Fault } from './fault.ts';

const PAIRS: [Linked, Dependency][] = [
  ['worker', 'postgres'],
  ['worker', 'temporal'],
  ['worker', 'blobs'],
  ['api', 'postgres'],
  ['api', 'temporal'],
  ['api', 'blobs'],
  ['temporal', 'postgres'],
];
const NETWORK_FAULTS: Record<string, NetworkFault> = {
  cut: { kind: 'cut' },
  hangs: { kind: 'hang' },
  'hangs on the way there': { kind: 'hang', direction: 'to server' },
  'hangs on the way back': { kind: 'hang', direction: 'to client' },
  'loses all connections': { kind: 'forget' },
  'takes 500 ms': { kind: 'delay', ms: 250 },
  'loses a tenth': { kind: 'loss', share: 0.1, ms: 300 },
};

/** A response of a bucket, after which it closes the connection. */
const response = (status: string, code: string) => {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return `HTTP/1.1 ${status}\r\nContent-Type: application/xml\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
};
const BUCKET_FAULTS: Record<string, NetworkFault> = {
  'responds with 503': {
    kind: 'respond',
    to: /^[A-Z]+ \//,
    response: response('503 Slow Down', 'SlowDown'),
  },
  'takes two seconds': { kind: 'delay', ms: 1_000 },
  // What is stored never changes, so an older state is one that lacks the file.
  'reads what was before the last write': {
    kind: 'respond',
    to: /^(?:GET|HEAD) \//,
    response: response('404 Not Found', 'NoSuchKey'),
  },
};

const DAY_MS = 86_400_000;
const CLOCK_FAULTS: Record<string, number> = { 'a day ahead': DAY_MS, 'an hour back': -DAY_MS / 24 };

const onLinks = (name: string, links: [Linked, Dependency][], fault: NetworkFault): Fault => ({
  name,
  begin: ({ link }) => links.map((pair) => link(...pair).begin(fault)),
  end: ({ link }) => links.map((pair) => link(...pair).end()),
});

const onClock = (process: string, name: string, ms: number): Fault => ({
  name: `clock of ${process} is ${name}`,
  begin: ({ clocks }) => clocks.shift(process, ms),
  end: ({ clocks }) => clocks.shift(process, 0),
});

/** All faults. */
export const FAULTS: Fault[] = [
  ...PAIRS.flatMap((pair) =>
    Object.entries(NETWORK_FAULTS).map(([name, fault]) =>
      onLinks(`${pair.join('–')} ${name}`, [pair], fault),
    ),
  ),
  ...Object.entries(BUCKET_FAULTS).map(([name, fault]) =>
    onLinks(
      `the bucket ${name}`,
      [
        ['worker', 'blobs'],
        ['api', 'blobs'],
      ],
      fault,
    ),
  ),
  ...DATABASE_FAULTS,
  ...['worker-1', 'worker-2', 'worker-4', 'api-1'].flatMap((process) =>
    Object.entries(CLOCK_FAULTS).map(([name, ms]) => onClock(process, name, ms)),
  ),
];
