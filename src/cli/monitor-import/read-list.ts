import { ZipArchive } from '../../content/parsers/zip.ts';
import { ServiceError } from '../../errors.ts';
import { readChangedetection } from './changedetection.ts';
import type { ImportedMonitor } from './imported-monitor.ts';
import { readUrlwatch } from './urlwatch.ts';

const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** Files of a backup of changedetection.io that have watches or settings; newer versions have one for each watch. */
const STORES = /(?:^|\/)(?:url-watches|changedetection|watch)\.json$/;

/**
 * Reads the list of another program: `url-watches.json` or the backup as zip of changedetection.io, or `urls.yaml` of
 * urlwatch.
 * @throws ServiceError `BAD_REQUEST` if it is none of these
 */
export function readList(
  bytes: Buffer,
  { intervalSeconds, timezone }: { intervalSeconds: number; timezone: string },
): ImportedMonitor[] {
  if (bytes.subarray(0, 2).toString() === 'PK') return readChangedetection(readBackup(bytes), timezone);
  const text = bytes.toString();
  return text.trimStart().startsWith('{')
    ? readChangedetection([parseJson(text)], timezone)
    : readUrlwatch(text, intervalSeconds, timezone);
}

function readBackup(bytes: Buffer): unknown[] {
  try {
    const archive = new ZipArchive(bytes);
    return archive.names
      .filter((name) => STORES.test(name))
      .map((name) => parseJson(archive.read(name, MAX_FILE_BYTES)?.toString() ?? ''));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ServiceError('BAD_REQUEST', `The backup cannot be read: ${error.message}`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError('BAD_REQUEST', `The file is no JSON: ${String(error)}`);
  }
}
