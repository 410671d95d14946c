import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';
import { isMainThread, threadId, threadName } from 'node:worker_threads';

/**
 * `node --import` loads this module into every thread of the service. It runs V8's CPU profiler while the
 * file `on` is in the directory `PROFILE_DIR`, and then writes the profile there. A file with the ending
 * `.running` stands for a profile that is not written yet.
 */

const LOOK_MS = 100;
const SAMPLE_MICROSECONDS = 1_000;
const name = `${process.pid}-${isMainThread ? 'main' : threadName}-${threadId}`;

function startIn(directory: string): void {
  const file = path.join(directory, name);
  const session = new Session();
  let isRunning = false;
  setInterval(() => {
    if (existsSync(path.join(directory, 'on')) === isRunning) return;
    isRunning = !isRunning;
    if (isRunning) {
      writeFileSync(`${file}.running`, '');
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
      session.post('Profiler.start');
      return;
    }
    session.post('Profiler.stop', (error, result) => {
      if (error) throw error;
      writeFileSync(`${file}.running`, JSON.stringify(result.profile));
      renameSync(`${file}.running`, `${file}.cpuprofile`);
    });
    session.disconnect();
  }, LOOK_MS).unref();
}

if (process.env.PROFILE_DIR) startIn(process.env.PROFILE_DIR);
