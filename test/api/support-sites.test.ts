import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { BROKEN_SITES, type Sites, startBrokenSites } from '../support/sites/broken-sites.ts';
import { IS_FULL_RUN, sampleOf } from '../support/suite/corpus.ts';

/** Sites that fail in different ways, and the fixes that support finds for them without a language model. */

let sites: Sites;
const durations: number[] = [];
beforeAll(async () => {
  sites = await startBrokenSites();
});
afterAll(async () => {
  await sites[Symbol.asyncDispose]();
  // The figures of docs/benchmarks.md.
  durations.sort((a, b) => a - b);
  const at = (share: number) => durations[Math.floor(durations.length * share)];
  if (IS_FULL_RUN) {
    const [p50, p95, slowest] = [at(0.5), at(0.95), durations.at(-1)];
    console.info(`milliseconds of ${durations.length} answers: p50 ${p50}, p95 ${p95}, slowest ${slowest}`);
  }
});

describe('support explains a site that', () => {
  it.concurrent.each(sampleOf(BROKEN_SITES, 3))('$name', async ({ run, question, fix, validation }) => {
    const jobId = await run(sites);
    expect(jobId).toMatch(/^[\da-f-]{36}$/);
    const { status, body } = await call('/v2/support/ask', { body: { question, jobId } });
    expect(status).toBe(200);
    durations.push(body.durationMs);
    const seen = {
      fix: body.fixParameters,
      validation: body.validation?.result ?? null,
      feedback: body.feedback,
    };
    expect(seen, JSON.stringify(body)).toEqual({ fix, validation, feedback: null });
  });
});
