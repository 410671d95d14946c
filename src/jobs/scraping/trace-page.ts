import type { PageTracer } from '../../fetch/engines/page-tracer.ts';
import { inSpan, isTracing, nowMs, recordSpan, runWithIds } from '../../system/tracing.ts';

/**
 * Runs the work on a page in a span, with a span for each of its stages and for each try of an engine. They are
 * made of the record of the page when it has ended, so they cost nothing while it is scraped.
 * @param page.url absent if nothing of the page may be told
 */
export function tracePage<Result>(
  page: { id: string; url: string | undefined },
  work: (setTracer: (tracer: PageTracer) => void) => Promise<Result>,
): Promise<Result> {
  let tracer: PageTracer | undefined;
  const begun = (given: PageTracer) => {
    tracer = given;
  };
  const attributes = { 'winnow.page.id': page.id, ...(page.url && { 'url.full': page.url }) };
  return runWithIds({ page: page.id }, () =>
    inSpan('page', { attributes }, async (span) => {
      const startMs = nowMs();
      try {
        return await work(begun);
      } finally {
        if (tracer && isTracing()) Object.assign(span.attributes, recordParts(tracer, startMs));
      }
    }),
  );
}

/** Records the spans of the parts of a page. @returns attributes of the page */
function recordParts(tracer: PageTracer, pageStartMs: number): Record<string, string | number> {
  const { attempts, cache, tries = 1 } = tracer.trace;
  for (const { stage, startMs, ms } of tracer.stages) recordPart(`page ${stage}`, { startMs, ms });
  for (const { engine, result, startMs, ms } of attempts)
    recordPart(`engine ${engine}`, { startMs, ms }, { 'winnow.engine.result': result });
  return { 'winnow.page.try': tries, ...(cache && { 'winnow.page.cache': cache.verdict }) };

  function recordPart(name: string, { startMs, ms }: { startMs: number; ms: number }, attributes = {}): void {
    recordSpan({ name, attributes, startMs: pageStartMs + startMs, endMs: pageStartMs + startMs + ms });
  }
}
