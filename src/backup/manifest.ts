import { z } from 'zod';

/** What the first file of every backup says, by which a backup is known as one. */
export const FORMAT = 'winnow-backup';
/** The number of the format, which grows when an older version could not read a backup any more. */
export const FORMAT_VERSION = 1;
export const HEADER_NAME = 'winnow-backup.json';
export const MANIFEST_NAME = 'manifest.json';
/** The keys of an instance that a backup has, by the names of their files. */
export const KEY_NAMES = ['api-key', 'admin-key', 'secret-key'] as const;
export type KeyName = (typeof KEY_NAMES)[number];

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);

/** The first file of a backup: what is needed to begin to restore it. */
export const headerSchema = z.object({
  format: z.literal(FORMAT),
  formatVersion: z.number().int(),
  /** The version of Winnow that has made it. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** The migrations of its database, in their order. */
  migrations: z.array(z.string()).min(1),
  /** Its tables, each behind those that it refers to. */
  tables: z.array(z.object({ name, columns: z.array(name).min(1) })),
  /** Tells whether another secret key is the same; null if there was none. */
  secretFingerprint: z.string().nullable(),
});
export type BackupHeader = z.output<typeof headerSchema>;

/** What a backup has of one table, one space of the blob store, or of another kind of files. */
const sectionSchema = z.object({
  files: z.number().int(),
  /** Size in bytes in the backup. */
  bytes: z.number().int(),
  /** SHA-256 over name, size and bytes of its files, in their order. */
  sha256: z.string(),
});
export type Section = z.output<typeof sectionSchema>;

/** The last file of a backup: without it, the backup was cut off. */
export const manifestSchema = z.object({
  sections: z.record(z.string(), sectionSchema),
  /** Number of rows and their size in bytes as text, by table. */
  rows: z.record(z.string(), z.object({ count: z.number().int(), bytes: z.number().int() })),
});
export type Manifest = z.output<typeof manifestSchema>;

/** Size of what a backup has, in bytes. */
export const sizeOf = ({ sections }: Manifest): number =>
  Object.values(sections).reduce((sum, section) => sum + section.bytes, 0);

/**
 * Names the section that a file belongs to: `tables/jobs` for `tables/jobs/000001.zst`, `blobs/results`, or `keys`;
 * the header is a section of its own.
 */
export function sectionOf(file: string): string {
  const parts = file.split('/');
  return parts.slice(0, Math.max(1, parts.length - 1)).join('/');
}
