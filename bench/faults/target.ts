import { runningDatabaseUrl } from '../../src/run/embedded/postgres.ts';
import { TARGET_ENV } from '../../test/chaos/target.ts';
import { type FaultyProxy, startFaultyProxy } from '../../test/support/network/faulty-proxy.ts';
import type { Dependency, Linked } from '../cluster/options.ts';
import { type Cluster, startCluster } from '../cluster/start.ts';
import { type Clocks, createClocks } from './clocks.ts';

/** A cluster whose network and clocks can be made faulty. */
export interface FaultTarget {
  cluster: Cluster;
  /** Leads around all faults of the network. */
  databaseUrl: string;
  clocks: Clocks;
  /** The network between all processes of a service and one that they depend on. */
  link(from: Linked, to: Dependency): FaultyProxy;
  stop(options: { keepData: boolean }): Promise<void>;
}

const WORKERS = ['scrape', 'pages', 'pages', 'webhooks,models'];

/** Starts a cluster with a proxy in each connection between its services. */
export async function startFaultTarget(signal: AbortSignal): Promise<FaultTarget> {
  const links = new Map<string, FaultyProxy>();
  const clocks = createClocks();
  const cluster = await startCluster({
    env: TARGET_ENV,
    bucket: true,
    workers: WORKERS,
    signal,
    settingsOf: clocks.settingsOf,
    async link(from, to, port) {
      const proxy = await startFaultyProxy(port, 'localhost');
      links.set(`${from} ${to}`, proxy);
      return proxy.port;
    },
  });
  return {
    cluster,
    databaseUrl: runningDatabaseUrl(cluster.dataDir),
    clocks,
    link(from, to) {
      const proxy = links.get(`${from} ${to}`);
      if (!proxy) throw new Error(`${from} does not depend on ${to}.`);
      return proxy;
    },
    async stop(options) {
      await cluster.stop(options);
      await Promise.all([...links.values()].map((proxy) => proxy.close()));
      clocks.close();
    },
  };
}
