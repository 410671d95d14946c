import type { BodyPlace } from './page-archive.ts';

/** Maximum number of jobs, and of bodies of each, that a process remembers; the oldest ones are forgotten. */
const MAX_JOBS = 50;
const MAX_BODIES = 5_000;
/** Shorter bodies take no more room than what says where they are. */
const MIN_BYTES = 256;

/** Where the bodies of archived pages are, so that a file that many pages load is stored once. */
export class KnownBodies {
  readonly #jobs = new Map<string, Map<string, BodyPlace>>();

  /** The bodies of a job, by their digests. */
  of(jobId: string): ReadonlyMap<string, BodyPlace> {
    return this.#jobs.get(jobId) ?? new Map();
  }

  /** Remembers the bodies of an archive that is stored. @param blob its key */
  add(jobId: string, blob: string, bodies: ReadonlyMap<string, BodyPlace>): void {
    const known = this.#jobs.get(jobId) ?? new Map<string, BodyPlace>();
    this.#jobs.delete(jobId);
    this.#jobs.set(jobId, known);
    for (const [digest, place] of bodies)
      if (place.size >= MIN_BYTES && !known.has(digest)) known.set(digest, { ...place, blob });
    trim(known, MAX_BODIES);
    trim(this.#jobs, MAX_JOBS);
  }
}

/** Forgets the oldest entries of a map. */
function trim(map: Map<string, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}
