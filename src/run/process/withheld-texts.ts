import type { Config } from '../../config.ts';
import { parseTemporalAddress } from '../../temporal/target.ts';

/** Names of parameters of a URL whose values are secret, as in `?api-key=…`. */
const SECRET_PARAMETER = /key|token|secret|password|signature|^sig$/i;

/** Lists the keys, passwords and paths of the installation, which no prompt may carry. */
export function listWithheldTexts(config: Config): string[] {
  const { llm, secretKey, webhookSecret, apiKey, databaseUrl, temporalAddress, blobs, proxies } = config;
  const { backups, dataDir, cacheDir, searxngUrl, adminKey, mailServer, temporalSecurity } = config;
  const urls = [databaseUrl, llm?.proxy, mailServer?.url, ...proxies.basic, ...proxies.enhanced];
  const own = [secretKey, webhookSecret, apiKey, adminKey, temporalSecurity?.apiKey];
  const secrets = [llm?.apiKey, ...Object.values(llm?.headers ?? {}), ...own];
  const temporal = temporalAddress === undefined ? undefined : parseTemporalAddress(temporalAddress);
  // The URLs of services may be known to everybody, but not what leads into them.
  const inUrls = [...urls, llm?.baseUrl, searxngUrl, blobs, backups].flatMap(secretsOf);
  return [
    ...[...secrets, ...urls, ...inUrls, temporal?.credentials?.password],
    ...[temporal?.credentials && temporalAddress, blobs, backups, dataDir, cacheDir],
  ].filter((text) => text !== undefined);
}

/** The secrets within a URL, which may have the prefix of a country. */
function secretsOf(text: string | undefined): string[] {
  const url = URL.parse(text?.replace(/^[a-z]{2}=/i, '') ?? '');
  if (!url) return [];
  const parameters = [...url.searchParams].filter(([name]) => SECRET_PARAMETER.test(name));
  return [url.password, ...parameters.map(([, value]) => value)].filter((secret) => secret !== '');
}
