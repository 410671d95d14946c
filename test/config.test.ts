import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeSettings, readConfig } from '../src/config.ts';

describe('invalid settings', () => {
  const wrong: [string, string][] = [
    ['PORT', 'many'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['HOST', 'winnow'],
    ['DATABASE_URL', 'winnow'],
    ['WINNOW_AUTH', 'no'],
    ['PUBLIC_URL', 'winnow.example'],
    ['PUBLIC_URL', 'ftp://winnow.example'],
    ['WINNOW_API_KEY', 'secret'],
    ['WINNOW_API_KEY', 'fc-with a blank'],
    ['WINNOW_API_KEY', 'fc-'],
    ['WINNOW_API_KEY', 'fc-é'],
    ['WINNOW_TEAM_CREDITS', '-5'],
    ['WINNOW_TEAM_CREDITS', 'much'],
    ['WINNOW_MAX_BODY_MB', '0'],
    ['WINNOW_REQUESTS_PER_HOST', '0'],
    ['WINNOW_RESULT_TTL_HOURS', '1.5'],
    ['WINNOW_WORKER_PORT', 'x'],
    ['WINNOW_AUTH_OFF_PUBLIC', 'yes'],
    ['WINNOW_ALLOWED_HOSTS', 'https://winnow.example/'],
    ['WINNOW_ALLOWED_HOSTS', 'a b'],
    ['WINNOW_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['WINNOW_TRUSTED_PROXIES', 'proxy.example'],
    ['LOG_LEVEL', 'loud'],
    ['WINNOW_LLM_BASE_URL', 'localhost:11434'],
    ['WINNOW_LLM_BASE_URL', 'http://127.0.0.1:11434/v1'],
    ['WINNOW_LLM_MODEL', 'small'],
    ['WINNOW_LLM_MODELS', 'poems=large'],
    ['WINNOW_LLM_HEADERS', 'api-key'],
    ['WINNOW_LLM_CONTEXT_TOKENS', '100'],
  ];
  it.each(wrong)('%s=%s is refused by name', (variable, value) => {
    expect(() => readConfig({ [variable]: value })).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining(variable) }),
    );
  });

  it.each([
    [
      'WINNOW_ALLOW_PRIVATE',
      'true',
      /must be CIDRs such as 10\.0\.0\.0\/8.*127\.0\.0\.0\/8,::1\/128 allows pages on this/,
    ],
    ['WINNOW_ALLOW_PRIVATE', '10.0.0.0/8,localhost', /must be CIDRs/],
    [
      'WINNOW_PROXIES_BASIC',
      'proxy:8080',
      /is not the URL of a proxy\. Write it as http:\/\/user:password@host:port/,
    ],
    ['WINNOW_PROXIES_ENHANCED', 'de=proxy', /is not the URL of a proxy/],
    ['WINNOW_DNS', 'resolver', /IP address and port of a DNS resolver, such as 10\.0\.0\.2:53/],
    ['WINNOW_BLOBS', 'gs://bucket', /a directory, or s3:\/\/bucket/],
    ['TEMPORAL_ADDRESS', 'http://temporal:7233', /host and port of a Temporal server, such as temporal:7233/],
    ['WINNOW_AUTH', 'true', /must be on or off, not "true"\. Write on\./],
    ['WINNOW_MAX_BODY_MB', '50MB', /must be a number, not "50MB"\./],
    ['PORT', '70000', /must be at most 65535, not 70000\./],
    ['PUBLIC_URL', 'winnow.example', /must be a URL that begins with http:\/\/ or https:\/\//],
    ['LOG_LEVEL', 'verbose', /must be fatal, error, warn, info, debug, trace or silent/],
  ])('%s=%s is told what it must be', (variable, value, remedy) => {
    const read = () => readConfig({ [variable]: value });
    expect(read).toThrow(remedy);
    expect(read).not.toThrow(/Invalid|expected|received|Too (small|big)/);
  });

  it.each([
    ['WINNOW_ALLOW_PRIVATE', '127.0.0.0/8, ::1'],
    ['WINNOW_PROXIES_BASIC', 'de=http://user:password@proxy.example:8080,socks5://[::1]:1080'],
    ['WINNOW_DNS', '10.0.0.2'],
    ['WINNOW_DNS', '[::1]:53'],
    ['WINNOW_BLOBS', 's3://bucket/prefix?endpoint=http://127.0.0.1:9000'],
    ['TEMPORAL_ADDRESS', 'user:password@proxy.example:3128'],
  ])('are none in %s=%s', (variable, value) => {
    expect(() => readConfig({ [variable]: value })).not.toThrow();
  });

  it('are all named in one error', () => {
    const read = () => readConfig({ PORT: 'many', LOG_LEVEL: 'loud', HOST: '::1' });
    expect(read).toThrow(/PORT[\s\S]*LOG_LEVEL|LOG_LEVEL[\s\S]*PORT/);
    expect(read).not.toThrow(/HOST/);
  });
});

describe('the settings of the language model', () => {
  const needed = { WINNOW_LLM_BASE_URL: 'http://127.0.0.1:11434/v1', WINNOW_LLM_MODEL: 'small' };

  it('are a URL and a model at least', () => {
    expect(readConfig({}).llm).toBeUndefined();
    expect(readConfig(needed).llm).toEqual({
      baseUrl: 'http://127.0.0.1:11434/v1',
      model: 'small',
      apiKey: undefined,
      proxy: undefined,
      featureModels: {},
      headers: {},
      contextTokens: 32_768,
      outputTokens: 4_096,
      concurrency: 8,
    });
  });

  it('name headers, and models for single features', () => {
    const models = { WINNOW_LLM_MODELS: 'json=large, agent=org/larger:7b' };
    const { llm } = readConfig({ ...needed, ...models, WINNOW_LLM_HEADERS: 'api-key=a=b, X-Team=web' });
    expect(llm?.featureModels).toEqual({ json: 'large', agent: 'org/larger:7b' });
    expect(llm?.headers).toEqual({ 'api-key': 'a=b', 'X-Team': 'web' });
  });

  it('do not repeat a header in the error about it, which may be a secret', () => {
    expect(() => readConfig({ ...needed, WINNOW_LLM_HEADERS: 'sk-secret' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('sk-secret') }),
    );
  });

  it('leave room for prompts', () => {
    expect(() => readConfig({ ...needed, WINNOW_LLM_OUTPUT_TOKENS: '20000' })).toThrow(/at most half/);
  });
});

describe('a service without authentication', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'fd00::1'])(
    'is refused on %s, which other machines reach, unless the operator says so',
    (HOST) => {
      const open = { HOST, WINNOW_AUTH: 'off' };
      expect(() => readConfig(open)).toThrow(
        expect.objectContaining({
          code: 'BAD_REQUEST',
          message: expect.stringMatching(/WINNOW_AUTH=off.*WINNOW_AUTH_OFF_PUBLIC=on/),
        }),
      );
      expect(readConfig({ ...open, WINNOW_AUTH_OFF_PUBLIC: 'on' })).toMatchObject({ host: HOST });
      expect(readConfig({ ...open, WINNOW_AUTH: 'on' })).toMatchObject({ host: HOST });
    },
  );

  it.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost'])('may listen on %s', (HOST) => {
    expect(readConfig({ HOST, WINNOW_AUTH: 'off' })).toMatchObject({ host: HOST, authRequired: false });
  });

  it('serves the hosts that are set, that of PUBLIC_URL and that of HOST', () => {
    const { allowedHosts } = readConfig({
      WINNOW_ALLOWED_HOSTS: 'api, winnow.internal',
      PUBLIC_URL: 'https://winnow.example:8443/base',
      HOST: 'fd00::1',
    });
    expect(allowedHosts).toEqual(['api', 'winnow.internal', 'winnow.example:8443', '[fd00::1]']);
  });
});

describe('settings', () => {
  it('accept a key of letters, digits, - and _', () => {
    expect(readConfig({ WINNOW_API_KEY: 'fc-My_team-7' }).apiKey).toBe('fc-My_team-7');
  });

  it('that are empty get their defaults', () => {
    const all = Object.fromEntries(describeSettings().map(({ variable }) => [variable, '']));
    expect(readConfig(all)).toEqual(readConfig({}));
    expect(readConfig({})).toMatchObject({
      port: 3002,
      host: '127.0.0.1',
      authRequired: true,
      teamCredits: null,
      allowPrivate: [],
      maxBodyBytes: 50 * 1024 * 1024,
      requestsPerHost: 8,
      resultTtlMs: 24 * 3_600_000,
    });
  });

  it('are converted to the types of the config', () => {
    const config = readConfig({
      PUBLIC_URL: 'https://winnow.example/base//',
      WINNOW_AUTH: 'off',
      WINNOW_TEAM_CREDITS: '500',
      WINNOW_ALLOW_PRIVATE: ' 10.0.0.0/8 , ,::1/128',
      WINNOW_TRUSTED_PROXIES: '10.1.0.0/16, fd00::/8,192.0.2.7',
      WINNOW_DATA_DIR: '/srv/winnow',
      WINNOW_MAX_BODY_MB: '2',
    });
    expect(config).toMatchObject({
      publicUrl: 'https://winnow.example/base',
      authRequired: false,
      teamCredits: 500,
      allowPrivate: ['10.0.0.0/8', '::1/128'],
      trustedProxies: ['10.1.0.0/16', 'fd00::/8', '192.0.2.7'],
      blobs: '/srv/winnow/blobs',
      maxBodyBytes: 2 * 1024 * 1024,
    });
  });

  it('each have a description', () => {
    for (const { variable, description } of describeSettings()) {
      expect(description.length, variable).toBeGreaterThan(5);
    }
  });
});

/** The file to copy: every setting with its default, which is what it has anyway. */
function envExample(): string {
  const blocks = describeSettings().map(({ variable, fallback, description }) => {
    // Directories depend on the user, and on the machine that makes this file.
    const ofUser = path.isAbsolute(fallback);
    const hint = ofUser ? '; default: depends on the user, see npm start -- up --help' : '';
    return `# ${description}${hint}\n${variable}=${ofUser ? '' : fallback}\n`;
  });
  return ['# Settings of Winnow. An empty value counts as unset.\n', ...blocks].join('\n');
}

it('.env.example lists them all; after a change run `npx vitest run test/config.test.ts -u`', async () => {
  await expect(envExample()).toMatchFileSnapshot('../.env.example');
});
