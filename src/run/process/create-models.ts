import { Counter, Histogram, type Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import { createModels, type Models } from '../../models/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { isModelBudgetSpent, type ModelCall, recordModelCall } from '../../storage/db/teams/model-calls.ts';
import { findKey } from '../../storage/db/teams/teams.ts';
import { nowMs, recordSpan } from '../../system/tracing.ts';
import { listWithheldTexts } from './withheld-texts.ts';

/**
 * Creates the access to the language model of the operator.
 * @param registry gets the metrics of its calls
 * @returns `undefined` if none is configured
 */
export function createModelAccess(config: Config, db: Database, registry: Registry): Models | undefined {
  const observe = createModelMetrics(registry);
  if (!config.llm) return undefined;
  return createModels(config.llm, {
    async record(call) {
      observe(call);
      traceModelCall(call);
      await recordModelCall(db, call);
    },
    isBudgetSpent: (teamId) => isModelBudgetSpent(db, teamId),
    withheld: {
      texts: listWithheldTexts(config),
      isApiKey: async (text) => (await findKey(db, text)) !== undefined,
    },
  });
}

/** Creates the metrics of calls of language models. @returns the function that counts a call */
function createModelMetrics(registry: Registry): (call: ModelCall) => void {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'winnow_model_call_seconds',
    help: 'Duration of calls of the language model, by what it was asked for and whether its response could be used',
    labelNames: ['feature', 'outcome'],
    buckets: [0.1, 0.5, 1, 2.5, 5, 15, 60, 300],
    registers,
  });
  const tokens = new Counter({
    name: 'winnow_model_tokens_total',
    help: 'Tokens of language models, by what it was asked for, of prompts and of responses',
    labelNames: ['feature', 'of'],
    registers,
  });
  return ({ feature, outcome, ms, promptTokens, outputTokens }) => {
    seconds.observe({ feature, outcome }, ms / 1000);
    tokens.inc({ feature, of: 'prompt' }, promptTokens);
    tokens.inc({ feature, of: 'response' }, outputTokens);
  };
}

/** Records the span of a call that has just ended. */
function traceModelCall({ feature, model, ms, promptTokens, outputTokens, outcome }: ModelCall): void {
  const endMs = nowMs();
  recordSpan({
    name: `model ${feature}`,
    kind: 'client',
    startMs: endMs - ms,
    endMs,
    attributes: {
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': promptTokens,
      'gen_ai.usage.output_tokens': outputTokens,
    },
    error: outcome === 'ok' ? undefined : outcome,
  });
}
