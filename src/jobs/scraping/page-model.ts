import { performance } from 'node:perf_hooks';
import type { AskServices, FinishServices, Substitute } from '../../content/formats/format.ts';
import { recordsOf } from '../../content/formats/index.ts';
import type { Warn } from '../../content/html/clean.ts';
import type { LanguageModel, ModelFeature } from '../../content/language-model.ts';
import type { OpenQuestion } from '../../content/rendering/render.ts';
import type { RenderPool } from '../../content/rendering/render-pool.ts';
import { ServiceError, toServiceError } from '../../errors.ts';
import type { PageTracer } from '../../fetch/engines/page-tracer.ts';
import type { Models } from '../../models/index.ts';
import type { Deadline } from './deadline.ts';

/** The page that a model is asked about. */
export interface AskedPage {
  scrapeId: string;
  teamId: string;
  jobId: string;
  deadline: Pick<Deadline, 'signal' | 'remainingMs'>;
  /** Whether a user is waiting for the page. */
  urgent: boolean;
  /** Records the calls of the model. */
  tracer: Pick<PageTracer, 'addModelCall'>;
  /** Logs an unexpected error that the page does not fail with. */
  onFault(message: string, attributes: Record<string, unknown>): void;
}

/** The results of the formats that a model was asked for. */
export interface Answers {
  fields: Record<string, unknown>;
  /** Types of the formats that have a value. */
  made: string[];
  warnings: string[];
}

/** The part of the remaining time that is left for storing the document, and its limits in milliseconds. */
const RESERVE = { share: 0.2, min: 500, max: 2_000 };

const LATE =
  'The language model did not respond within the timeout of the request. Try again with a larger timeout.';

const LISTING = new Intl.ListFormat('en-GB');
/** The warning for results of which a model has made none. */
const byRules = (reason: string, fields: readonly string[]) =>
  `${reason} So rules derived ${LISTING.format(fields)} from the page.`;

/**
 * The language model as one page uses it, from its rendering until its document is made. Its time ends before
 * that of the page, so that a page that misses the response of a model is in time.
 */
export class PageModel implements Disposable {
  readonly #models: Models;
  readonly #renderer: Pick<RenderPool, 'check'>;
  readonly #page: AskedPage;
  readonly #signal: AbortSignal;
  readonly #endsAt: number;
  readonly #timer: NodeJS.Timeout;
  readonly #late = new AbortController();

  constructor(models: Models, page: AskedPage, renderer: Pick<RenderPool, 'check'>) {
    this.#models = models;
    this.#page = page;
    this.#renderer = renderer;
    const { signal, remainingMs } = page.deadline;
    const remaining = remainingMs();
    const reserve = Math.min(RESERVE.max, Math.max(RESERVE.min, remaining * RESERVE.share));
    const ms = Math.max(0, remaining - reserve);
    this.#timer = setTimeout(() => this.#late.abort(new ServiceError('MODEL_UNAVAILABLE', LATE)), ms);
    this.#signal = AbortSignal.any([signal, this.#late.signal]);
    this.#endsAt = performance.now() + ms;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    // A page that failed may have left calls, which nobody waits for any more.
    this.#late.abort(new ServiceError('MODEL_UNAVAILABLE', 'The scrape of the page has ended.'));
  }

  /** Returns the model for a feature. */
  for(feature: ModelFeature): LanguageModel {
    const { teamId, jobId, tracer } = this.#page;
    return this.#models.modelFor({
      feature,
      teamId,
      jobId,
      signal: this.#signal,
      endsAt: this.#endsAt,
      onCall: tracer.addModelCall,
    });
  }

  /**
   * Asks for all formats that a model is to make, side by side. Where it fails, the result by rules takes the
   * place of its response, with a warning, so that a model never costs more than its own format.
   * @throws ServiceError that a format raises about the page; the reason of the page's signal
   */
  async answer(questions: readonly OpenQuestion[]): Promise<Answers> {
    const results = await Promise.all(questions.map((question) => this.#answer(question)));
    // A model that fails usually fails for all formats, so each reason is told once.
    const fieldsByReason = new Map<string, string[]>();
    for (const { reason, field } of results)
      if (reason !== undefined) fieldsByReason.set(reason, [...(fieldsByReason.get(reason) ?? []), field]);
    const reasons = [...fieldsByReason].map(([reason, fields]) => byRules(reason, fields));
    return {
      fields: Object.fromEntries(
        results.flatMap(({ field, value }) => (value === undefined ? [] : [[field, value]])),
      ),
      made: results.flatMap(({ type, value }) => (value === undefined ? [] : [type])),
      warnings: [...new Set([...reasons, ...results.flatMap(({ warnings }) => warnings)])],
    };
  }

  async #answer({ request, prepared, fallback }: OpenQuestion) {
    // Rendering made the question of this record, because it has `ask`.
    const { format } = recordsOf([request])[0]!;
    const { feature, ask } = format.ask!;
    const outcome = await this.#askOrSubstitute(
      feature,
      (services) => ask(prepared, request, services),
      fallback,
    );
    return { ...outcome, field: format.field, type: request.type };
  }

  /** Asks for one result, see {@link FinishServices.askModel}. */
  readonly ask: NonNullable<FinishServices['askModel']> = async (feature, ask, { substitute, subject }) => {
    const { value, reason, warnings } = await this.#askOrSubstitute(feature, ask, substitute);
    return { value, warnings: [...(reason === undefined ? [] : [byRules(reason, [subject])]), ...warnings] };
  };

  /** Asks for one result. @returns it, or the substitute with the reason why the model could not be used */
  async #askOrSubstitute(
    feature: ModelFeature,
    ask: (services: AskServices) => Promise<unknown>,
    substitute: Substitute,
  ): Promise<Substitute & { reason?: string }> {
    const warnings: string[] = [];
    try {
      return { value: await ask(this.#servicesFor(feature, (warning) => warnings.push(warning))), warnings };
    } catch (error) {
      return { ...substitute, reason: this.reasonOf(error) };
    }
  }

  /**
   * Returns why a model could not be used, as a sentence.
   * @throws the error itself if it is not about the model; the reason of the page's signal
   */
  reasonOf(error: unknown): string {
    this.#page.deadline.signal.throwIfAborted();
    const { code, message } = toServiceError(error);
    if (code.startsWith('MODEL_')) return message;
    if (code !== 'UNKNOWN_ERROR') throw error;
    const { scrapeId, onFault } = this.#page;
    onFault('asking the language model failed', { scrapeId, error: String(error) });
    return 'Asking the language model failed unexpectedly.';
  }

  #servicesFor(feature: ModelFeature, warn: Warn): AskServices {
    const { teamId: owner, urgent } = this.#page;
    const options = { owner, signal: this.#signal, urgent };
    return {
      model: this.for(feature),
      warn,
      modelFor: (other) => this.for(other),
      checkData: (task) => this.#renderer.check(task, options),
    };
  }
}
