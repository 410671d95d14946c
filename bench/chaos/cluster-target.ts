import { runningDatabaseUrl } from '../../src/run/embedded/postgres.ts';
import { browserVictim, type ChaosTarget, TARGET_ENV } from '../../test/chaos/target.ts';
import { startCluster } from '../cluster.ts';

/** Starts the services of docker-compose.yml as processes of this machine. */
export async function startClusterTarget(signal?: AbortSignal): Promise<ChaosTarget> {
  const cluster = await startCluster({ env: TARGET_ENV, ...(signal && { signal }) });
  const { parts, urls, key, dataDir } = cluster;
  const browser = browserVictim(() =>
    Object.entries(parts).flatMap(([name, { pid }]) => (name.startsWith('worker') && pid ? [pid] : [])),
  );
  return {
    urls,
    key,
    dataDir,
    databaseUrl: runningDatabaseUrl(dataDir),
    stop: cluster.stop,
    victims: [...Object.keys(parts), 'browser'],
    async kill(victim) {
      if (victim === 'browser') return browser.kill();
      if (parts[victim]?.pid === undefined) return false;
      cluster.kill(victim);
      return true;
    },
    untilUp: (victim, signal) => (victim === 'browser' ? browser.untilUp(signal) : cluster.untilUp(victim)),
  };
}
