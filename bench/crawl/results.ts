import { z } from 'zod';
import { articleTruth, linkSentence } from '../../test/site/site.ts';
import type { Graph } from './options.ts';
import { ask, type Caller, type JobPath } from './service.ts';

/** The documents of a crawl, counted one by one. */
export interface Results {
  documents: number;
  /** Number of different URLs. */
  distinct: number;
  /** Number of documents without the text that only their page has. */
  wrong: number;
  markdownBytes: number;
  /** Milliseconds of each request, from the start of the list to its end. */
  requestMs: number[];
}

const part = z.object({
  next: z.string().optional(),
  data: z.array(z.object({ markdown: z.string(), metadata: z.object({ sourceURL: z.string() }) })),
});

/** Reads all documents of an ended job by following `next`. */
export async function readResults(caller: Caller, path: JobPath, graph: Graph): Promise<Results> {
  const urls = new Set<string>();
  const results = { documents: 0, wrong: 0, markdownBytes: 0, requestMs: [] as number[] };
  for (let next: string | undefined = path; next; ) {
    const start = performance.now();
    const answer: z.output<typeof part> = await ask(caller, { path: next, answer: part });
    results.requestMs.push(performance.now() - start);
    for (const { markdown, metadata } of answer.data) {
      urls.add(metadata.sourceURL);
      results.documents++;
      results.markdownBytes += Buffer.byteLength(markdown);
      const n = Number(metadata.sourceURL.split('/').at(-1));
      const truth = graph === 'links' ? linkSentence(n) : articleTruth(n).firstSentence;
      if (!markdown.includes(truth)) results.wrong++;
    }
    next = answer.next;
  }
  return { ...results, distinct: urls.size };
}
