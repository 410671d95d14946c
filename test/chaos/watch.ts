import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Random } from '../site/random.ts';
import type { Client } from './client.ts';
import type { Findings } from './findings.ts';
import { type AnsweredDocument, compareHeads, type Head, judgeHead, statusAnswer } from './head.ts';
import type { Plan } from './plans.ts';

/** A job that was started. */
export interface ChaosJob {
  plan: Plan;
  id: string;
}

/** A document as it was first seen. Its index in the list is its position. */
interface SeenDocument {
  scrapeId: string;
  sourceUrl: string;
  credits: number;
  digest: string;
}

/** A job that has ended. */
export interface WatchedJob extends ChaosJob {
  head: Head;
  documents: SeenDocument[];
}

/** The options of a watcher. */
export interface Watching {
  client: Client;
  random: Random;
  findings: Findings;
  /** Called with the number of new documents. */
  onProgress(pages: number): void;
}

const LOOK_MS = 250;
const PAGE = 100;
const AGAIN = 3;

const rawDocuments = z.object({ data: z.array(z.unknown()) });

/**
 * Reads the documents of a job by following `next` until it has ended, and keeps checking its status and the
 * documents that it has already seen. Anything wrong in a response is a finding.
 */
export async function watchJob(job: ChaosJob, watching: Watching): Promise<WatchedJob> {
  const { client, random, findings, onProgress } = watching;
  const { plan, id } = job;
  const path = `${plan.path}/${id}`;
  const documents: SeenDocument[] = [];
  let latest: Head | undefined;
  let ended = false;
  const wrong = (text: string) => findings.wrong(`${plan.name} ${id}: ${text}`);

  /** A response may only be compared with one that arrived before its request was sent. */
  async function ask(query: string, skip: number) {
    const before = latest;
    const raw = await client.ask(query ? `${path}?${query}` : path);
    const { data, next, ...head } = statusAnswer.parse(raw);
    for (const fault of judgeHead(plan, head)) wrong(fault);
    if (before) for (const fault of compareHeads(before, head)) wrong(fault);
    const more = head.completed - (latest?.completed ?? 0);
    if (more > 0) onProgress(more);
    if (!latest || more >= 0) latest = head;
    for (const [index, text] of rawDocuments.parse(raw).data.entries()) {
      // Both lists come from the same response.
      see(skip + index, data[index] as AnsweredDocument, text);
    }
    if (head.status !== 'scraping' && data.length + skip > head.completed)
      wrong(`${data.length} documents from ${skip} on, ${head.completed} are completed`);
    return { head, count: data.length, next };
  }

  function see(position: number, document: AnsweredDocument, raw: unknown): void {
    const digest = createHash('sha256').update(JSON.stringify(raw)).digest('hex');
    const known = documents[position];
    if (known && known.digest !== digest)
      wrong(`document ${position} was of ${known.sourceUrl}, now it is of ${document.metadata.sourceURL}`);
    if (known || position !== documents.length) return;
    const { scrapeId, sourceURL: sourceUrl, creditsUsed: credits } = document.metadata;
    const fault = faultOf(plan, document);
    if (fault) wrong(`${sourceUrl} (document ${position}): ${fault}`);
    documents.push({ scrapeId, sourceUrl, credits, digest });
  }

  async function read(): Promise<Head> {
    for (let query = `limit=${PAGE}`; ; ) {
      const skip = documents.length;
      const { head, count, next } = await ask(query, skip);
      if (next === undefined) {
        if (head.status === 'scraping') wrong('an answer without next, though the job runs');
        return head;
      }
      const url = new URL(next);
      if (Number(url.searchParams.get('skip')) !== skip + count)
        wrong(`next leads to ${url.search} after ${skip} + ${count} documents`);
      query = url.search.slice(1);
    }
  }

  async function lookAround(): Promise<void> {
    while (!ended) {
      const skip = random.whole(Math.max(1, documents.length));
      // Without documents, a request with skip would wait for new ones.
      await ask(documents.length ? `skip=${skip}&limit=${AGAIN}` : `limit=${AGAIN}`, skip);
      await sleep(LOOK_MS);
    }
  }

  const reading = read().finally(() => {
    ended = true;
  });
  const [head] = await Promise.all([reading, lookAround()]);
  return { ...job, head, documents };
}

/** Describes what is wrong with a document. */
function faultOf(plan: Plan, { metadata, markdown }: AnsweredDocument): string | undefined {
  const expected = plan.expect(metadata.sourceURL);
  if (!expected) return 'no page of this job';
  if ('error' in expected) return `a document, though ${expected.error} was to come`;
  if (metadata.statusCode !== expected.status)
    return `status ${metadata.statusCode} instead of ${expected.status}`;
  if (!markdown?.includes(expected.text))
    return `“${expected.text}” is not in its markdown: ${markdown?.slice(0, 200)}`;
  return undefined;
}
