import type { Registry } from 'prom-client';
import { createProfiles } from '../../fetch/browser/browser-profile.ts';
import { createReplay } from '../../fetch/engines/replay.ts';
import type { Models } from '../../models/index.ts';
import { createSessionMetrics } from '../../sessions/session-metrics.ts';
import type { Logger } from '../../system/logger.ts';
import { type HostedSessions, hostSessions } from '../process/host-sessions.ts';
import { type Browser, browserEngineDeps } from './fetching.ts';
import type { Storage } from './storage.ts';
import type { WorkerConfig } from './worker-config.ts';

/**
 * Starts hosting browser sessions, if this worker has the role for it and the machine allows their sandboxes.
 */
export async function startSessions(
  config: WorkerConfig,
  storage: Storage,
  parts: {
    workerId: string;
    chromium: { path: string };
    browser: Browser;
    models: Models | undefined;
    registry: Registry;
    logger: Logger;
  },
): Promise<HostedSessions | undefined> {
  const { workerId, chromium, browser, models, registry, logger } = parts;
  const { db } = storage;
  const metrics = createSessionMetrics(registry);
  if (!config.workerRoles.includes('sessions')) return undefined;
  return hostSessions({
    ...config,
    workerId,
    db,
    results: storage.results,
    logger,
    metrics,
    models,
    executablePath: chromium.path,
    proxy: browser.proxy,
    proxies: browser.egress.upstreams,
    adBlocker: browser.adBlocker,
    replay: createReplay(browserEngineDeps(config, storage, { browser, logger })),
    profiles: createProfiles({
      db,
      secretKey: config.secretKey,
      logger,
      onSave({ outcome, durationMs, bytes }) {
        metrics.profileSaveSeconds.observe({ outcome }, durationMs / 1000);
        if (bytes !== undefined) metrics.profileBytes.observe(bytes);
      },
    }),
  });
}
