import { isIP, isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { MODEL_FEATURES, type ModelFeature } from './content/language-model.ts';
import { ServiceError } from './errors.ts';
import { isLoopback } from './url/loopback.ts';

const isRoot = process.getuid?.() === 0;
const dataHome = process.env.XDG_DATA_HOME || join(homedir(), '.local', 'share');
const cacheHome = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );
const optional = z.string().optional();
/** Comma-separated pairs such as `name=value`. */
const pairs = list.transform((entries, context) =>
  entries.map((entry): [string, string] => {
    const [, name, value] = /^([^=\s]+)\s*=\s*(.+)$/.exec(entry) ?? [];
    if (name !== undefined && value !== undefined) return [name, value];
    // The entry itself may be a secret.
    context.addIssue({ code: 'custom', message: 'must be comma-separated pairs of the form name=value' });
    return z.NEVER;
  }),
);
/** A directory, or a prefix of a bucket. */
const directoryOrBucket = optional.refine(
  (text) => !text?.includes('://') || /^s3:\/\/[^/?]+/.test(text),
  'must be a directory, or s3://bucket/prefix?endpoint=https://s3.example.com',
);
/** An IP address, or a range of them in CIDR notation. */
const ipRange = (error: string) => z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error });
/** Comma-separated URLs of proxies, each of which may have a country in front. */
const proxies = list.pipe(
  z.array(
    z.string().refine((entry) => {
      const url = URL.parse(entry.replace(/^[a-z]{2}=/i, ''));
      return Boolean(url?.hostname) && /^(https?|socks5):$/.test(url?.protocol ?? '');
    }, 'is not the URL of a proxy. Write it as http://user:password@host:port, https://… or socks5://…, with de= in front for Germany'),
  ),
);
/** An IP address and a port; an IPv6 address is in brackets. */
const IP_AND_PORT = /^(?:[\d.]+|\[[\da-fA-F:.]+\]):\d+$/;
const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be a URL that begins with http:// or https://, such as https://winnow.example.com',
});
const count = (fallback: number, least = 1) => z.coerce.number().int().min(least).default(fallback);

/**
 * Roles of a worker: single scrapes, maps and searches; pages of batches and crawls; webhook deliveries;
 * browser sessions; work that waits for language models.
 */
const WORKER_ROLES = ['scrape', 'pages', 'webhooks', 'sessions', 'models'] as const;
/**
 * The roles without which the service does not work. Browser sessions need a sandbox, which not every machine
 * allows, and pages need no worker for language models.
 */
export const REQUIRED_ROLES = ['scrape', 'pages', 'webhooks'] as const;

/** Every setting, by its environment variable. `--help` and `.env.example` print the descriptions. */
const settings = z.object({
  PORT: z.coerce.number().int().min(0).max(65535).default(3002).describe('port of the API'),
  HOST: z
    .string()
    .default('127.0.0.1')
    .refine((host) => isIP(host) > 0 || host === 'localhost', 'must be an IP address, such as 127.0.0.1')
    .describe('IP address that the API listens on'),
  WINNOW_AUTH: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'off: every request counts as the first team, with any key or none; for programs on this machine, not for web pages',
    ),
  WINNOW_AUTH_OFF_PUBLIC: z
    .enum(['on', 'off'])
    .default('off')
    .describe('on: WINNOW_AUTH=off may listen on a HOST that other machines reach (trusted networks only)'),
  WINNOW_ALLOWED_HOSTS: list
    .pipe(
      z.array(
        z.string().refine((host) => URL.parse(`http://${host}`)?.pathname === '/', 'must be host names'),
      ),
    )
    .describe(
      'comma-separated hosts in URLs of the API that are served with WINNOW_AUTH=off, besides localhost, HOST and that of PUBLIC_URL',
    ),
  PUBLIC_URL: httpUrl.optional().describe('base of the URLs in responses; empty: taken from the request'),
  WINNOW_TRUSTED_PROXIES: list
    .pipe(z.array(ipRange('must be CIDRs such as 10.0.0.0/8 or fd00::/8, separated by commas')))
    .describe(
      'comma-separated CIDRs of reverse proxies whose headers X-Forwarded-Host and X-Forwarded-Proto count',
    ),
  WINNOW_DATA_DIR: z
    .string()
    .default(isRoot ? '/var/lib/winnow' : join(dataHome, 'winnow'))
    .describe('directory of data that must be kept'),
  WINNOW_CACHE_DIR: z
    .string()
    .default(isRoot ? '/var/cache/winnow' : join(cacheHome, 'winnow'))
    .describe('directory of files that can be downloaded or built again'),
  // bin/winnow.js reads the file, because it needs WINNOW_CACHE_DIR before it can load this module.
  WINNOW_ENV_FILE: optional.describe(
    'file with settings, one NAME=value on a line; empty: .env in the working directory, of which only names that begin with WINNOW_ count outside a checkout; variables of the environment win',
  ),
  WINNOW_API_KEY: z
    .string()
    .regex(/^fc-[\w-]+$/, 'must be fc- followed by letters, digits, - and _')
    .optional()
    .describe('API key of the first team; empty: generated at the first start and stored in <data>/api-key'),
  WINNOW_ADMIN_KEY: z
    .string()
    .min(16, 'must have at least 16 characters')
    .regex(/^\S+$/, 'must have no spaces')
    .optional()
    .describe(
      'key of the operator, for the routes below /admin and the operator’s page of the console; empty: generated at the first start and stored in <data>/admin-key',
    ),
  WINNOW_URL: httpUrl
    .optional()
    .describe(
      'URL of a service that commands use, with the key WINNOW_API_KEY; empty: the service on this machine',
    ),
  WINNOW_TEAM_CREDITS: z
    .string()
    .regex(/^(unlimited|\d+)$/, 'must be a whole number or the word unlimited')
    .default('unlimited')
    .describe('credits that a new team starts with'),
  WINNOW_SECRET_KEY: optional.describe(
    'key that signs file URLs and encrypts profiles; empty: generated and stored in <data>/secret-key',
  ),
  WINNOW_ALLOW_PRIVATE: list
    .pipe(
      z.array(
        ipRange(
          'must be CIDRs such as 10.0.0.0/8 or fd00::/8, separated by commas; 127.0.0.0/8,::1/128 allows pages on this machine',
        ),
      ),
    )
    .describe('comma-separated CIDRs of private networks that pages may be fetched from'),
  WINNOW_OWN_PORTS: list
    .pipe(z.array(z.string().regex(/^\S+:\d+$/, 'must be host:port, such as api:3002')))
    .describe(
      'comma-separated host:port of parts of the service that pages are never fetched from, besides those in other settings; `npm start` adds what it starts',
    ),
  WINNOW_PROXIES_BASIC: proxies.describe(
    'comma-separated proxies for fetching pages: http://, https:// or socks5://, with user:password@ before the host, and a country prefix such as de= for those in Germany; empty: none',
  ),
  WINNOW_PROXIES_ENHANCED: proxies.describe(
    'proxies for requests with proxy enhanced, and for retries after a site refused a basic proxy; same syntax',
  ),
  WINNOW_WEBHOOK_SECRET: optional.describe(
    'secret that signs the webhooks of the first team; empty: generated with the team, `team show` prints it',
  ),
  DATABASE_URL: optional
    .refine(
      (url) => url === undefined || /^postgres(ql)?:\/\//.test(url),
      'must be a URL such as postgres://user:password@host:5432/database',
    )
    .describe('URL of a Postgres database to use instead of the embedded one'),
  WINNOW_DATABASE_CONNECTIONS: count(20, 2).describe(
    'maximum number of connections of a process to the database for requests and pages, fewer where there is little memory; up to four more are for upkeep and backups',
  ),
  TEMPORAL_ADDRESS: optional
    .refine(
      (text) => text === undefined || /^[^\s/]+$/.test(text.replace(/^[^@]*@/, '')),
      'must be the host and port of a Temporal server, such as temporal:7233',
    )
    .describe(
      'host:port of a Temporal server to use instead of the embedded one; user:password@host:port if an HTTP proxy there leads to it',
    ),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace'),
  TEMPORAL_API_KEY: optional.describe('API key of Temporal Cloud, which is sent over TLS; empty: none'),
  TEMPORAL_TLS: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'true: connections to TEMPORAL_ADDRESS use TLS; empty: only with TEMPORAL_API_KEY or a TEMPORAL_TLS_… setting',
    ),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: optional.describe(
    'file with the certificates (PEM) that the certificate of TEMPORAL_ADDRESS is checked by; empty: those of the system',
  ),
  TEMPORAL_TLS_SERVER_NAME: optional.describe(
    'name in the certificate of TEMPORAL_ADDRESS; empty: the host of TEMPORAL_ADDRESS',
  ),
  TEMPORAL_TLS_CLIENT_CERT_PATH: optional.describe(
    'file with the certificate (PEM) that Winnow shows to TEMPORAL_ADDRESS; empty: none',
  ),
  TEMPORAL_TLS_CLIENT_KEY_PATH: optional.describe(
    'file with the private key (PEM) of TEMPORAL_TLS_CLIENT_CERT_PATH',
  ),
  WINNOW_TEMPORAL_UI: httpUrl
    .optional()
    .describe(
      "URL of Temporal's web interface, which the console links the workflows of jobs to; empty: that of the embedded server",
    ),
  WINNOW_BLOBS: directoryOrBucket.describe(
    'a directory or s3://bucket/prefix?endpoint=…; empty: <data>/blobs',
  ),
  WINNOW_BACKUPS: directoryOrBucket.describe(
    'a directory or s3://bucket/prefix?endpoint=…, to which a backup is written each day, of which the last seven are kept; empty: none are written',
  ),
  WINNOW_CHROMIUM: optional.describe('path of the browser binary; empty: found automatically'),
  WINNOW_SHARE_BROWSER_CACHE: z
    .enum(['on', 'off'])
    .default('on')
    .describe('off: no page of a batch or crawl gets the browser cache of pages of the same job and host'),
  WINNOW_ADBLOCK_LISTS: optional.describe(
    "directory of ad filter lists (*.txt); empty: those of Debian's webext-ublock-origin-chromium",
  ),
  WINNOW_DNS: optional
    .refine(
      (text) => text === undefined || isIP(text) > 0 || IP_AND_PORT.test(text),
      'must be the IP address and port of a DNS resolver, such as 10.0.0.2:53',
    )
    .describe('host:port of a DNS resolver to use instead of the system one'),
  WINNOW_MAX_BODY_MB: count(50).describe('maximum size of a page or file that is read, in MiB'),
  WINNOW_MAX_MEDIA_MB: count(256).describe('maximum size of an audio or video file that is kept, in MiB'),
  WINNOW_MAX_PAGE_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(64)
    .optional()
    .describe(
      'maximum memory of the scripts of one page in the browser, in MiB; with more, the page fails; empty: a quarter of the memory of the machine or container, at most 2048',
    ),
  WINNOW_MAX_CONVERSION_SECONDS: count(30).describe(
    'maximum processor time for deriving the formats of one page, in seconds',
  ),
  WINNOW_YT_DLP: optional.describe(
    'path of yt-dlp, for the formats audio and video on media sites; empty: only media files in the page itself',
  ),
  WINNOW_OCR_DATA: optional.describe(
    'directory of tesseract language data (*.traineddata) for scanned documents; empty: English',
  ),
  WINNOW_REQUESTS_PER_HOST: count(8).describe(
    'maximum concurrent requests to one host from all batches and crawls; a job with maxConcurrency uses its own limit',
  ),
  WINNOW_OPEN_REQUESTS_PER_KEY: count(2000).describe(
    'maximum requests with one API key that wait for their response at one API process',
  ),
  WINNOW_SOCKETS_PER_TEAM: count(200).describe(
    'maximum WebSockets that a team has open at one API process: those of watched jobs, live views and clients of browser sessions',
  ),
  WINNOW_SOCKETS_PER_KEY: count(100).describe(
    'maximum WebSockets that are open at one API process with one API key, or in sessions that it has started',
  ),
  WINNOW_RESULT_TTL_HOURS: count(24).describe('hours that results and their files are kept'),
  WINNOW_ARCHIVE: z
    .enum(['on', 'off'])
    .default('off')
    .describe('on: crawls and batches keep the responses of the sites unless they say otherwise'),
  WINNOW_MAX_ARCHIVE_MB: count(20_480).describe(
    'disk space for the responses that one crawl or batch keeps, in MiB; its further pages keep none',
  ),
  WINNOW_CACHE_DAYS: count(730).describe('days that cached pages are kept, within WINNOW_MAX_CACHE_MB'),
  WINNOW_MAX_CACHE_MB: count(10_240).describe(
    'disk space for cached pages, in MiB; the least recently used ones are deleted first',
  ),
  WINNOW_SHARED_CACHE: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'on: a team may get cached pages that other teams have scraped, and learns when (teams that trust each other only)',
    ),
  WINNOW_MAX_UPLOADS_MB: count(10_240).describe(
    'disk space for uploaded files that wait to be parsed, in MiB; with less, further files are refused',
  ),
  WINNOW_MAX_TEAM_UPLOADS_MB: count(2_048).describe(
    'part of WINNOW_MAX_UPLOADS_MB that one team may take, in MiB',
  ),
  WINNOW_SEARXNG_URL: httpUrl
    .optional()
    .describe(
      'URL of a SearXNG for web searches, which must allow the format json; empty: searches find the pages that the team has scraped',
    ),
  WINNOW_MAX_INDEXED_PAGES: count(200_000, 0).describe(
    'maximum number of scraped pages that searches without SearXNG find; the oldest are deleted first; 0: none are indexed',
  ),
  WINNOW_TRACKING_DAYS: count(365).describe(
    'days that the text of a page is kept for changeTracking after its last tracked scrape',
  ),
  WINNOW_MAX_MONITORS: count(1_000, 0).describe('maximum number of monitors of a team; 0: none'),
  WINNOW_SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL such as smtps://user:password@mail.example.com' })
    .optional()
    .describe(
      'URL of the mail server by which monitors send mails, such as smtps://user:password@mail.example.com or smtp://mail.example.com:587; empty: none',
    ),
  WINNOW_MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
      'must be an address, such as Winnow <winnow@example.com>',
    )
    .optional()
    .describe('sender of mails, such as Winnow <winnow@example.com>; required with WINNOW_SMTP_URL'),
  WINNOW_MAX_MAILS_PER_HOUR: count(200).describe(
    'maximum number of mails that are sent on behalf of a team in an hour; further ones wait',
  ),
  WINNOW_MIN_FREE_DISK_MB: count(1024, 0).describe(
    'minimum free disk space for the data, in MiB; with less, new work is refused',
  ),
  WINNOW_MARKDOWN: z
    .enum(['winnow', 'turndown'])
    .default('winnow')
    .describe('converter of HTML to markdown: winnow or turndown'),
  WINNOW_USER_AGENT: optional.describe(
    'User-Agent header of all scrapes and browser sessions, mobile ones too; empty: a browser name and Winnow',
  ),
  WINNOW_ROBOTS_TOKEN: z
    .string()
    .regex(/^[A-Za-z_-]+$/, 'must be letters, - and _ (RFC 9309)')
    .default('Winnow')
    .describe('user agent token matched in robots.txt'),
  WINNOW_ROBOTS_WAIT_SECONDS: count(120).describe(
    'seconds that a crawl waits for an unavailable robots.txt (5xx, no response) before it skips the host',
  ),
  WINNOW_WORKER_ROLES: list
    .pipe(z.array(z.enum(WORKER_ROLES)))
    .describe(`comma-separated roles of a worker: ${WORKER_ROLES.join(', ')}; empty: all`),
  WINNOW_WORKER_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe("port of a worker's /ready and /metrics; empty: none"),
  WINNOW_SCRAPE_SOCKET: optional.describe(
    'path of a Unix socket at which a worker takes scrapes directly from an API on the same machine; `npm start` sets it',
  ),
  WINNOW_SESSION_ADDRESS: z
    .string()
    .regex(IP_AND_PORT, 'must be an IP address and a port, such as 0.0.0.0:3004')
    .default('127.0.0.1:0')
    .describe(
      'IP address and port at which a worker with the role sessions serves the API; in a cluster 0.0.0.0:3004, reachable from the API only; port 0: a free one',
    ),
  WINNOW_RECORD_SESSIONS: z
    .enum(['on', 'off'])
    .default('off')
    .describe('whether browser sessions are recorded whose request says nothing of recordSession: on or off'),
  WINNOW_LLM_BASE_URL: httpUrl
    .optional()
    .describe(
      'base URL of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1; a query in it is sent with every request; empty: no language model, and rules derive what a model would write',
    ),
  WINNOW_LLM_API_KEY: optional.describe('key of that API; empty: none is sent'),
  WINNOW_LLM_MODEL: optional.describe('name of the language model; required with WINNOW_LLM_BASE_URL'),
  WINNOW_LLM_MODELS: pairs
    .pipe(z.array(z.tuple([z.enum(MODEL_FEATURES), z.string()])))
    .describe(
      `other models for single features, as comma-separated pairs such as json=large,summary=small; features: ${MODEL_FEATURES.join(', ')}`,
    ),
  WINNOW_LLM_HEADERS: pairs.describe(
    'headers of every request to the language model, as comma-separated pairs such as api-key=abc',
  ),
  WINNOW_LLM_PROXY: httpUrl
    .optional()
    .describe('URL of an HTTP proxy for requests to the language model; empty: none'),
  WINNOW_LLM_CONTEXT_TOKENS: count(32_768, 2_048).describe(
    'tokens that the language model accepts, prompt and response together',
  ),
  WINNOW_LLM_OUTPUT_TOKENS: count(4_096, 256).describe('maximum tokens of a response of the language model'),
  WINNOW_LLM_CONCURRENCY: count(8).describe('maximum concurrent requests of a worker to the language model'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      'base URL of an OpenTelemetry collector that gets traces by OTLP/HTTP, such as http://127.0.0.1:4318; empty: none are recorded',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.describe(
    'headers of every request to the collector, as comma-separated pairs such as api-key=abc, with percent-encoded values',
  ),
  OTEL_SERVICE_NAME: z.string().default('winnow').describe('name of the service in traces'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('minimum level of log lines'),
});

/**
 * The environment for a child process: that of this process with overrides.
 */
export function inheritedEnvironment(overrides: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...overrides };
}

/** The validated settings of this process. */
export type Config = ReturnType<typeof readConfig>;

/**
 * Reads and checks every setting.
 * @param env the environment; an empty variable counts as absent
 * @throws ServiceError `BAD_REQUEST` that names each wrong variable
 * @example
 * const { port, dataDir } = readConfig({ PORT: '3002', WINNOW_DATA_DIR: '/var/lib/winnow' });
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env) {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(present, { error: describeWrongValue });
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path: [variable = ''], message, code }) => {
      // A number has no text of its own any more.
      const sent = code === 'invalid_type' ? `, not ${JSON.stringify(present[String(variable)])}` : '';
      return `  ${String(variable)} ${message}${sent}.`;
    });
    throw new ServiceError('BAD_REQUEST', `Wrong settings:\n${lines.join('\n')}`);
  }
  const s = parsed.data;
  return {
    port: s.PORT,
    host: s.HOST,
    authRequired: s.WINNOW_AUTH === 'on',
    publicUrl: s.PUBLIC_URL?.replace(/\/+$/, ''),
    trustedProxies: s.WINNOW_TRUSTED_PROXIES,
    /** The hosts of URLs under which an API without authentication serves, besides those of this machine. */
    allowedHosts: allowedHosts(s),
    dataDir: s.WINNOW_DATA_DIR,
    cacheDir: s.WINNOW_CACHE_DIR,
    apiKey: s.WINNOW_API_KEY,
    adminKey: s.WINNOW_ADMIN_KEY,
    /** The service that commands use in place of the one on this machine. */
    serviceUrl: s.WINNOW_URL?.replace(/\/+$/, ''),
    /** `null` is unlimited. */
    teamCredits: s.WINNOW_TEAM_CREDITS === 'unlimited' ? null : Number(s.WINNOW_TEAM_CREDITS),
    secretKey: s.WINNOW_SECRET_KEY,
    webhookSecret: s.WINNOW_WEBHOOK_SECRET,
    allowPrivate: s.WINNOW_ALLOW_PRIVATE,
    ownPorts: s.WINNOW_OWN_PORTS,
    ownAddresses: ownAddresses(s),
    proxies: { basic: s.WINNOW_PROXIES_BASIC, enhanced: s.WINNOW_PROXIES_ENHANCED },
    databaseUrl: s.DATABASE_URL,
    databaseConnections: s.WINNOW_DATABASE_CONNECTIONS,
    temporalAddress: s.TEMPORAL_ADDRESS,
    temporalNamespace: s.TEMPORAL_NAMESPACE,
    temporalSecurity: temporalSecurity(s),
    temporalUi: s.WINNOW_TEMPORAL_UI?.replace(/\/+$/, ''),
    blobs: s.WINNOW_BLOBS ?? join(s.WINNOW_DATA_DIR, 'blobs'),
    backups: s.WINNOW_BACKUPS,
    chromium: s.WINNOW_CHROMIUM,
    sharesBrowserCache: s.WINNOW_SHARE_BROWSER_CACHE === 'on',
    adLists: s.WINNOW_ADBLOCK_LISTS,
    dns: s.WINNOW_DNS,
    maxBodyBytes: s.WINNOW_MAX_BODY_MB * 1024 * 1024,
    maxMediaBytes: s.WINNOW_MAX_MEDIA_MB * 1024 * 1024,
    maxPageMemoryMb: s.WINNOW_MAX_PAGE_MEMORY_MB,
    maxConversionMs: s.WINNOW_MAX_CONVERSION_SECONDS * 1000,
    ytDlp: s.WINNOW_YT_DLP,
    ocrData: s.WINNOW_OCR_DATA,
    requestsPerHost: s.WINNOW_REQUESTS_PER_HOST,
    openRequestsPerKey: s.WINNOW_OPEN_REQUESTS_PER_KEY,
    socketsPerTeam: s.WINNOW_SOCKETS_PER_TEAM,
    socketsPerKey: s.WINNOW_SOCKETS_PER_KEY,
    resultTtlMs: s.WINNOW_RESULT_TTL_HOURS * 3_600_000,
    archivesPages: s.WINNOW_ARCHIVE === 'on',
    maxArchiveBytes: s.WINNOW_MAX_ARCHIVE_MB * 1024 * 1024,
    cacheTtlMs: s.WINNOW_CACHE_DAYS * 86_400_000,
    cacheMaxBytes: s.WINNOW_MAX_CACHE_MB * 1024 * 1024,
    sharesCache: s.WINNOW_SHARED_CACHE === 'on',
    uploadQuota: {
      bytes: s.WINNOW_MAX_UPLOADS_MB * 1024 * 1024,
      bytesOfTeam: s.WINNOW_MAX_TEAM_UPLOADS_MB * 1024 * 1024,
    },
    searxngUrl: s.WINNOW_SEARXNG_URL?.replace(/\/+$/, ''),
    maxIndexedPages: s.WINNOW_MAX_INDEXED_PAGES,
    trackingTtlMs: s.WINNOW_TRACKING_DAYS * 86_400_000,
    maxMonitors: s.WINNOW_MAX_MONITORS,
    mailServer: mailServer(s),
    mailLimit: { perHour: s.WINNOW_MAX_MAILS_PER_HOUR },
    minFreeBytes: s.WINNOW_MIN_FREE_DISK_MB * 1024 * 1024,
    markdownConverter: s.WINNOW_MARKDOWN,
    userAgent: s.WINNOW_USER_AGENT,
    robotsToken: s.WINNOW_ROBOTS_TOKEN,
    maxRobotsWaitMs: s.WINNOW_ROBOTS_WAIT_SECONDS * 1000,
    workerRoles: s.WINNOW_WORKER_ROLES.length ? s.WINNOW_WORKER_ROLES : [...WORKER_ROLES],
    workerPort: s.WINNOW_WORKER_PORT,
    scrapeSocket: s.WINNOW_SCRAPE_SOCKET,
    sessionAddress: parseAddress(s.WINNOW_SESSION_ADDRESS),
    recordsSessions: s.WINNOW_RECORD_SESSIONS === 'on',
    llm: llmSettings(s),
    traces: traceSettings(s),
    logLevel: s.LOG_LEVEL,
  };
}

/** Says what a setting must be whose schema has no words of its own for that. */
function describeWrongValue(issue: z.core.$ZodRawIssue): string {
  const sent = JSON.stringify(issue.input);
  switch (issue.code) {
    case 'invalid_type':
      return `must be a ${issue.expected === 'int' ? 'whole ' : ''}number`;
    case 'too_small':
      return `must be at least ${issue.minimum}, not ${sent}`;
    case 'too_big':
      return `must be at most ${issue.maximum}, not ${sent}`;
    case 'invalid_value':
      return `must be ${issue.values.join(', ').replace(/, ([^,]*)$/, ' or $1')}, not ${sent}${adviseOnSwitch(issue)}`;
    default:
      return 'is not valid';
  }
}

/** What switches something on or off that was switched by another word. */
function adviseOnSwitch({ input, values = [] }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidValue>): string {
  if (!values.includes('on') || !values.includes('off')) return '';
  if (/^(true|1|yes|enabled?)$/i.test(String(input))) return '. Write on';
  return /^(false|0|no|none|disabled?)$/i.test(String(input)) ? '. Write off' : '';
}

/** Where traces are sent; `undefined` if there is no collector. The path is that of the OpenTelemetry Protocol. */
function traceSettings(s: z.output<typeof settings>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = s;
  if (endpoint === undefined) return undefined;
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, decodeURIComponent(value)])),
    serviceName: s.OTEL_SERVICE_NAME,
  };
}

/**
 * Collects the hosts of an API without authentication.
 * @throws ServiceError `BAD_REQUEST` if other machines would reach it, and the operator has not said so
 */
function allowedHosts(s: z.output<typeof settings>): string[] {
  if (s.WINNOW_AUTH === 'off' && s.WINNOW_AUTH_OFF_PUBLIC === 'off' && !isLoopback(s.HOST)) {
    throw new ServiceError(
      'BAD_REQUEST',
      `Wrong settings: with WINNOW_AUTH=off, everybody who reaches HOST=${s.HOST} can use the service and read all results. Remove HOST to serve this machine only, or set WINNOW_AUTH_OFF_PUBLIC=on in a network where you trust everybody.`,
    );
  }
  const publicUrl = s.PUBLIC_URL === undefined ? [] : [new URL(s.PUBLIC_URL).host];
  return [...s.WINNOW_ALLOWED_HOSTS, ...publicUrl, isIPv6(s.HOST) ? `[${s.HOST}]` : s.HOST];
}

/** How connections to the Temporal server are secured; paths name PEM files. */
export interface TemporalSecurity {
  apiKey?: string | undefined;
  tls: {
    serverCaPath?: string | undefined;
    serverName?: string | undefined;
    client?: { certificatePath: string; keyPath: string };
  };
}

/**
 * Collects the settings of TLS to the Temporal server; `undefined` without TLS.
 * @throws ServiceError `BAD_REQUEST` if they contradict each other
 */
function temporalSecurity(s: z.output<typeof settings>): TemporalSecurity | undefined {
  const { TEMPORAL_TLS_CLIENT_CERT_PATH: certificatePath, TEMPORAL_TLS_CLIENT_KEY_PATH: keyPath } = s;
  const { TEMPORAL_TLS_SERVER_CA_CERT_PATH: serverCaPath, TEMPORAL_TLS_SERVER_NAME: serverName } = s;
  const given = Object.entries({
    TEMPORAL_API_KEY: s.TEMPORAL_API_KEY,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: serverCaPath,
    TEMPORAL_TLS_SERVER_NAME: serverName,
    TEMPORAL_TLS_CLIENT_CERT_PATH: certificatePath,
    TEMPORAL_TLS_CLIENT_KEY_PATH: keyPath,
  }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (s.TEMPORAL_TLS === undefined ? given.length === 0 : s.TEMPORAL_TLS === 'false') {
    if (given.length === 0) return undefined;
    throw new ServiceError(
      'BAD_REQUEST',
      `Wrong settings: ${given.join(' and ')} need TLS. Remove TEMPORAL_TLS=false, or these settings.`,
    );
  }
  if (s.TEMPORAL_ADDRESS === undefined || s.TEMPORAL_ADDRESS.includes('@')) {
    throw new ServiceError(
      'BAD_REQUEST',
      'Wrong settings: TLS needs the host:port of a Temporal server in TEMPORAL_ADDRESS, without a proxy before it. The embedded server has no TLS.',
    );
  }
  if ((certificatePath === undefined) !== (keyPath === undefined)) {
    throw new ServiceError(
      'BAD_REQUEST',
      'Wrong settings: TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH are only useful together.',
    );
  }
  const client = certificatePath && keyPath ? { client: { certificatePath, keyPath } } : {};
  return { apiKey: s.TEMPORAL_API_KEY, tls: { serverCaPath, serverName, ...client } };
}

/**
 * Collects the settings of the mail server; `undefined` without one.
 * @throws ServiceError `BAD_REQUEST` if the sender is not set
 */
function mailServer({ WINNOW_SMTP_URL: url, WINNOW_MAIL_FROM: from }: z.output<typeof settings>) {
  if (url === undefined) return undefined;
  if (from !== undefined) return { url, from };
  throw new ServiceError(
    'BAD_REQUEST',
    'Wrong settings: WINNOW_MAIL_FROM is missing. Mails by WINNOW_SMTP_URL need a sender, such as Winnow <winnow@example.com>.',
  );
}

/**
 * Collects the settings of the language model; `undefined` without one.
 * @throws ServiceError `BAD_REQUEST` if only the URL or only the name of the model is set
 */
function llmSettings(s: z.output<typeof settings>) {
  const { WINNOW_LLM_BASE_URL: baseUrl, WINNOW_LLM_MODEL: model } = s;
  if (baseUrl === undefined && model === undefined) return undefined;
  if (baseUrl === undefined || model === undefined) {
    const missing = baseUrl === undefined ? 'WINNOW_LLM_BASE_URL' : 'WINNOW_LLM_MODEL';
    throw new ServiceError(
      'BAD_REQUEST',
      `Wrong settings: ${missing} is missing. A language model needs both WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL.`,
    );
  }
  if (s.WINNOW_LLM_OUTPUT_TOKENS > s.WINNOW_LLM_CONTEXT_TOKENS / 2) {
    throw new ServiceError(
      'BAD_REQUEST',
      'Wrong settings: WINNOW_LLM_OUTPUT_TOKENS may be at most half of WINNOW_LLM_CONTEXT_TOKENS, so that prompts have room.',
    );
  }
  const featureModels: Partial<Record<ModelFeature, string>> = Object.fromEntries(s.WINNOW_LLM_MODELS);
  return {
    baseUrl,
    model,
    featureModels,
    apiKey: s.WINNOW_LLM_API_KEY,
    headers: Object.fromEntries(s.WINNOW_LLM_HEADERS),
    proxy: s.WINNOW_LLM_PROXY,
    contextTokens: s.WINNOW_LLM_CONTEXT_TOKENS,
    outputTokens: s.WINNOW_LLM_OUTPUT_TOKENS,
    concurrency: s.WINNOW_LLM_CONCURRENCY,
  };
}

/** Collects the addresses of the parts of the service that settings name. */
function ownAddresses(s: z.output<typeof settings>): { host: string; port: number }[] {
  const buckets = [s.WINNOW_BLOBS, s.WINNOW_BACKUPS].map((location) => {
    const endpoint = URL.parse(location ?? '')?.searchParams.get('endpoint');
    return [endpoint, endpoint?.startsWith('https:') ? 443 : 80] as const;
  });
  const urls = [
    [s.DATABASE_URL, 5432],
    ...buckets,
    [s.WINNOW_SMTP_URL, s.WINNOW_SMTP_URL?.startsWith('smtps:') ? 465 : 587],
  ] as const;
  const listed = [
    ...s.WINNOW_OWN_PORTS,
    ...(s.TEMPORAL_ADDRESS ? [s.TEMPORAL_ADDRESS.replace(/^.*@/, '')] : []),
  ];
  const ports = [s.PORT, s.WINNOW_WORKER_PORT ?? 0, parseAddress(s.WINNOW_SESSION_ADDRESS).port];
  return [
    ...ports.filter((port) => port > 0).map((port) => ({ host: '127.0.0.1', port })),
    ...listed.map(parseAddress).map(({ address, port }) => ({ host: address, port })),
    ...urls.flatMap(([text, fallback]) => {
      const url = URL.parse(text ?? '');
      return url?.hostname ? [{ host: url.hostname, port: Number(url.port) || fallback }] : [];
    }),
  ];
}

/** Splits an IP address and port; IPv6 addresses are in brackets. */
function parseAddress(text: string): { address: string; port: number } {
  const colon = text.lastIndexOf(':');
  return { address: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}

/** Lists every setting with its default as text and its description, for `--help` and `.env.example`. */
export function describeSettings(): { variable: string; fallback: string; description: string }[] {
  const defaults = settings.parse({});
  return Object.entries(settings.shape).map(([variable, schema]) => ({
    variable,
    fallback: String(defaults[variable as keyof typeof defaults] ?? ''),
    description: schema.description ?? '',
  }));
}

/**
 * A command as a person types it here, such as `npm start -- doctor` in a checkout and `winnow doctor` where
 * the package is installed. The entry point says how it was started, for itself and the processes that it
 * starts.
 * @param words the command and its arguments; none for the program alone
 */
export function commandOf(words = '', env: NodeJS.ProcessEnv = process.env): string {
  return `${env.WINNOW_PROGRAM || 'winnow'} ${words}`.trimEnd();
}
