import { resolve } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { openS3Objects } from '../../storage/blobs/s3-objects.ts';
import type { BackupFile, BackupPlace } from './backup-place.ts';
import { openBucketFile, openBucketPlace } from './bucket-place.ts';
import { openDirectoryPlace, openDiskFile } from './directory-place.ts';

/**
 * Opens one backup.
 * @param location a path, or `s3://bucket/path/name.tar?endpoint=…&region=…` with credentials from the environment's
 * usual AWS variables
 * @throws ServiceError `BAD_REQUEST` for a URL that names no object
 */
export async function openBackupFile(location: string): Promise<BackupFile> {
  const url = bucketUrl(location);
  if (!url) return openDiskFile(resolve(location));
  const path = pathOf(url);
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!name) throw wrongUrl(location);
  const objects = await openS3Objects(url, path.slice(0, path.length - name.length));
  return openBucketFile(objects, name, `s3://${url.hostname}/${path}`);
}

/** Opens the place of daily backups. @param location a directory, or `s3://bucket/prefix?endpoint=…&region=…` */
export async function openBackupPlace(location: string): Promise<BackupPlace> {
  const url = bucketUrl(location);
  if (!url) return openDirectoryPlace(resolve(location));
  const prefix = pathOf(url).replace(/\/*$/, '/');
  return openBucketPlace(await openS3Objects(url, prefix === '/' ? '' : prefix));
}

/** The URL of a bucket; `undefined` for a path. @throws ServiceError `BAD_REQUEST` for any other URL */
function bucketUrl(location: string): URL | undefined {
  if (!location.includes('://')) return undefined;
  const url = URL.parse(location);
  if (url?.protocol !== 's3:' || !url.hostname) throw wrongUrl(location);
  return url;
}

function pathOf(url: URL): string {
  try {
    return decodeURIComponent(url.pathname).replace(/^\/+/, '');
  } catch {
    throw wrongUrl(url.href);
  }
}

const wrongUrl = (location: string) =>
  new ServiceError(
    'BAD_REQUEST',
    `${location} does not name a backup. Write it as a path, or as s3://bucket/path/name.tar?endpoint=https://s3.example.com.`,
  );
