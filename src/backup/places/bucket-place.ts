import { Readable } from 'node:stream';
import type { ObjectVersion, S3Objects } from '../../storage/blobs/s3-objects.ts';
import { type BackupFile, type BackupPlace, PROBE_TEXT } from './backup-place.ts';

const PROBE = 'winnow-probe';

/**
 * A backup in an object.
 * @param label what messages call it
 */
export function openBucketFile(objects: S3Objects, name: string, label: string): BackupFile {
  // A restore reads the same version twice.
  let version: ObjectVersion | undefined;
  async function* read(): AsyncGenerator<Uint8Array> {
    version ??= await objects.findVersion(name);
    yield* objects.read(name, version);
  }
  return {
    name: label,
    write: (source) => objects.write(name, source),
    read: () => Readable.from(read(), { highWaterMark: 1 }),
  };
}

/** Opens a prefix of a bucket as a place of backups. */
export function openBucketPlace(objects: S3Objects): BackupPlace {
  return {
    file: (name) => openBucketFile(objects, name, name),
    list: async () => (await objects.list()).map(({ name, storedAt }) => ({ name, writtenAt: storedAt })),
    remove: (name) => objects.remove(name),
    removeDrafts: (isOwn, before) => objects.endLostUploads(isOwn, before),
    async requireWritable() {
      await objects.list();
      await objects.endLostUploads(() => false, new Date());
      await objects.put(PROBE, Buffer.from(PROBE_TEXT));
      await objects.remove(PROBE);
    },
  };
}
