import { afterAll, beforeAll, inject } from 'vitest';
import type { RunFile } from '../../../src/run/embedded/supervision/run-file.ts';
import {
  type RunningService,
  runFileOf,
  type ServiceAccess,
  startService,
  temporalAddressOf,
} from './start-service.ts';

/**
 * The service that a test file uses. Its properties can be read from the first `beforeAll` after `useService`
 * on.
 */
export interface UsedService extends Readonly<ServiceAccess> {
  /** `host:port` of its Temporal server. */
  readonly temporalAddress: string;
  /** Reads its run file: the URLs and the processes of its parts. */
  readRunFile(): RunFile;
}

/**
 * Gives a test file its service. Without settings that is the one that all files of the run share. With
 * settings it is one of the file's own, which starts before the first test and stops after the last one; this
 * takes several seconds, so only a file that needs other settings, or that kills processes, asks for it.
 * @param settings returns the environment variables of the file's own service; called in a `beforeAll` hook,
 * so that it can use what earlier hooks have started
 * @example
 * const service = useService();
 * const own = useService(() => ({ WINNOW_ALLOW_PRIVATE: '127.0.0.0/8', WINNOW_PROXIES_BASIC: proxy.url }));
 */
export function useService(settings?: () => Record<string, string>): UsedService {
  let own: RunningService | undefined;
  if (settings) {
    beforeAll(async () => {
      own = await startService({ emptyPostgres: inject('emptyPostgres'), env: settings() });
    });
    afterAll(() => own?.stop());
  }
  const access = (): ServiceAccess => {
    if (!settings) return inject('service');
    if (!own) throw new Error('The service starts in a beforeAll hook and is not there yet.');
    return own;
  };
  return {
    get url() {
      return access().url;
    },
    get key() {
      return access().key;
    },
    get dataDir() {
      return access().dataDir;
    },
    get temporalAddress() {
      return temporalAddressOf(access());
    },
    readRunFile: () => runFileOf(access()),
  };
}
