import type { Config } from '../../config.ts';
import { createModels, type Models } from '../../models/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { isModelBudgetSpent, recordModelCall } from '../../storage/db/teams/model-calls.ts';
import { findKey } from '../../storage/db/teams/teams.ts';

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

/** Lists the keys, passwords and paths of the installation, which no prompt may carry. */
function listWithheldTexts(config: Config): string[] {
  const { llm, secretKey, webhookSecret, apiKey, databaseUrl, blobs, proxies, dataDir, cacheDir } = config;
  const urls = [databaseUrl, llm?.proxy, ...proxies.basic, ...proxies.enhanced];
  const passwords = urls.map((url) => URL.parse(url?.replace(/^[a-z]{2}=/i, '') ?? '')?.password);
  const secrets = [llm?.apiKey, ...Object.values(llm?.headers ?? {}), secretKey, webhookSecret, apiKey];
  return [...secrets, ...urls, ...passwords, blobs, dataDir, cacheDir].filter((text) => text !== undefined);
}
