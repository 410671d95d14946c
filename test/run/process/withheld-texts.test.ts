import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { listWithheldTexts } from '../../../src/run/process/withheld-texts.ts';

describe('what no prompt may carry', () => {
  it('includes every secret of the settings, also those within URLs', () => {
    const secrets = {
      WINNOW_API_KEY: 'fc-first-team',
      WINNOW_SECRET_KEY: 'secret-key',
      WINNOW_WEBHOOK_SECRET: 'webhook-secret',
      WINNOW_LLM_API_KEY: 'model-key',
    };
    const config = readConfig({
      ...secrets,
      DATABASE_URL: 'postgres://winnow:database-password@127.0.0.1:5432/winnow',
      TEMPORAL_ADDRESS: 'winnow:temporal-password@127.0.0.1:7233',
      WINNOW_PROXIES_BASIC: 'de=http://user:proxy-password@127.0.0.1:3128',
      WINNOW_SEARXNG_URL: 'http://user:search-password@127.0.0.1:8888',
      WINNOW_LLM_BASE_URL: 'http://127.0.0.1:8080/v1?api-key=key-in-query&api-version=2024-02-01',
      WINNOW_LLM_MODEL: 'small',
      WINNOW_LLM_HEADERS: 'x-key=header-key',
      WINNOW_LLM_PROXY: 'http://user:model-proxy-password@127.0.0.1:3129',
    });
    const withheld = listWithheldTexts(config);
    expect(withheld).toEqual(
      expect.arrayContaining([
        ...Object.values(secrets),
        ...['database-password', 'temporal-password', 'winnow:temporal-password@127.0.0.1:7233'],
        ...['proxy-password', 'search-password', 'key-in-query', 'header-key', 'model-proxy-password'],
      ]),
    );
    // These say nothing secret, and a page may well name them.
    expect(withheld).not.toContain('2024-02-01');
    expect(listWithheldTexts(readConfig({ TEMPORAL_ADDRESS: 'temporal:7233' }))).not.toContain(
      'temporal:7233',
    );
  });
});
