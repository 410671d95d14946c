import type { Config } from '../../config.ts';
import { createModels, type Models } from '../../models/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { isModelBudgetSpent, recordModelCall } from '../../storage/db/teams/model-calls.ts';
import { findKey } from '../../storage/db/teams/teams.ts';
import { listWithheldTexts } from './withheld-texts.ts';

/**
 * Creates the access to the language model of the operator.
 * @returns `undefined` if none is configured
 */
export function createModelAccess(config: Config, db: Database): Models | undefined {
  if (!config.llm) return undefined;
  return createModels(config.llm, {
    record: (call) => recordModelCall(db, call),
    isBudgetSpent: (teamId) => isModelBudgetSpent(db, teamId),
    withheld: {
      texts: listWithheldTexts(config),
      isApiKey: async (text) => (await findKey(db, text)) !== undefined,
    },
  });
}
