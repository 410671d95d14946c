import { posix } from 'node:path';
import { Parser } from 'htmlparser2';
import type { ZipArchive } from './zip.ts';

/** Limit of the expanded size of one XML part, in bytes. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

/** Reads an XML part; empty if the archive does not have it. */
export const readPart = (archive: ZipArchive, name: string): string =>
  archive.read(name, MAX_PART_BYTES)?.toString('utf8') ?? '';

/** A reference from a part of a package to another one (ECMA-376-2, 9.3). */
export interface Relationship {
  /** The last segment of the URL that names the kind, such as `image`. */
  kind: string;
  /** The name of the other part in the archive. */
  target: string;
}

/** The references of a part to others in the same package, by their identifiers. */
export function readRelationships(archive: ZipArchive, part: string): Map<string, Relationship> {
  const folder = posix.dirname(part);
  const relationships = new Map<string, Relationship>();
  const parser = new Parser(
    {
      onopentag(name, { Id: id, Target: target, Type: type = '', TargetMode: mode }) {
        if (localName(name) !== 'Relationship' || !id || !target || mode === 'External') return;
        const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
        relationships.set(id, { kind: posix.basename(type), target: path });
      },
    },
    { xmlMode: true },
  );
  parser.end(readPart(archive, relationshipsOf(part)));
  return relationships;
}

/** The addresses outside the package to which a part refers, such as those of links, by their identifiers. */
export function readExternalTargets(archive: ZipArchive, part: string): Map<string, string> {
  const targets = new Map<string, string>();
  const parser = new Parser(
    {
      onopentag(name, { Id: id, Target: target, TargetMode: mode }) {
        if (localName(name) === 'Relationship' && id && target && mode === 'External')
          targets.set(id, target);
      },
    },
    { xmlMode: true },
  );
  parser.end(readPart(archive, relationshipsOf(part)));
  return targets;
}

/** The name of the part with the relationships of a part. */
export const relationshipsOf = (part: string): string =>
  posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);

/** The name of an element or attribute without its prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
