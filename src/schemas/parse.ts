import { z } from 'zod';
import { withKeywords } from '../json/schema-keywords.ts';
import { formatRequestWithout } from './formats.ts';
import {
  callerFields,
  checkScrapeOptions,
  formatList,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

/** Formats that need the open page or a site, which an uploaded file does not have. */
const PAGE_FORMATS = new Set(['screenshot', 'changeTracking', 'branding', 'audio', 'video']);

/** Options for fetching pages, each with the values that have no effect and are therefore accepted. */
const PAGE_OPTIONS: Record<string, (value: unknown) => boolean> = {
  actions: (value) => Array.isArray(value) && value.length === 0,
  waitFor: (value) => value === 0,
  mobile: (value) => value === false,
  lockdown: (value) => value === false,
  storeInCache: (value) => value === true,
  location: () => false,
  maxAge: () => false,
  minAge: () => false,
  profile: () => false,
  threatProtection: () => false,
  toolDetail: () => false,
  domainTools: () => false,
};
const PROXIES = new Set(['basic', 'auto']);

/** Lists the options of a request that are only for pages. */
function findPageOptions({ formats, proxy, ...options }: Record<string, unknown>): string[] {
  const types = Array.isArray(formats)
    ? new Set(formats.map((each) => (typeof each === 'object' && each !== null ? each.type : each)))
    : [];
  return [
    ...Object.keys(options).filter((name) => {
      const value = options[name];
      return Object.hasOwn(PAGE_OPTIONS, name) && value !== undefined && !PAGE_OPTIONS[name]?.(value);
    }),
    ...[...types].filter((type) => PAGE_FORMATS.has(type)).map((type) => `format ${type}`),
    ...(typeof proxy === 'string' && !PROXIES.has(proxy) ? [`proxy ${proxy}`] : []),
  ];
}

/** Refuses the options that are only for pages, and removes them where they have no effect. */
function dropPageOptions(request: unknown, context: z.RefinementCtx): unknown {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return request;
  const fields: Record<string, unknown> = { ...request };
  const refused = findPageOptions(fields);
  if (refused.length) {
    context.addIssue({
      code: 'custom',
      path: [],
      input: request,
      message: `An uploaded file cannot be parsed with ${refused.join(', ')}: this is only for pages of sites. Leave it out and try again.`,
      params: { code: 'PARSE_UNSUPPORTED_OPTIONS' },
    });
  }
  for (const name of Object.keys(PAGE_OPTIONS)) delete fields[name];
  return fields;
}

const { onlyMainContent, onlyCleanContent, includeTags, excludeTags } = scrapeOptionFields;
const { parsers, removeBase64Images, redactPII, safeMode, auditMetadata, useMock } = scrapeOptionFields;
const { timeout } = scrapeOptionFields;
const noEffect = (field: z.ZodType) => field.optional().describe('accepted, but has no effect on files');

const fields = {
  formats: formatList(formatRequestWithout(PAGE_FORMATS)).describe(
    `outputs to produce, except ${[...PAGE_FORMATS].join(', ')}`,
  ),
  onlyMainContent: onlyMainContent.describe(
    'for HTML files, leave out headers, navigation and footers; for documents, running headers, footers and page numbers',
  ),
  onlyCleanContent,
  includeTags,
  excludeTags,
  parsers,
  removeBase64Images,
  timeout: timeout.describe(`time limit of the whole request in ms; default ${DEFAULT_TIMEOUT_MS}`),
  redactPII,
  safeMode,
  auditMetadata,
  useMock,
  headers: noEffect(scrapeOptionFields.headers),
  skipTlsVerification: noEffect(scrapeOptionFields.skipTlsVerification),
  blockAds: noEffect(scrapeOptionFields.blockAds),
  fastMode: noEffect(scrapeOptionFields.fastMode),
  proxy: noEffect(z.enum(['basic', 'auto'])),
  zeroDataRetention: z
    .boolean()
    .default(false)
    .describe('zero data retention: the data of the request are encrypted, and deleted with the result'),
  ...callerFields,
};

const PAGE_DEFAULTS = z.object(scrapeOptionFields).parse({});

type ParseFields = z.output<z.ZodObject<typeof fields>> & { uploadRef?: string | undefined };

/** Completes parse options to those of a scrape, which they are a part of. */
function toScrapeOptions(options: ParseFields) {
  const { uploadRef, headers, skipTlsVerification, blockAds, fastMode, proxy, ...effective } = options;
  const timeout = effective.timeout ?? DEFAULT_TIMEOUT_MS;
  return { ...PAGE_DEFAULTS, ...effective, timeout, uploadRef };
}

/** The part `options` of a multipart request to `POST /v2/parse`. */
export const parseOptions = z.preprocess(
  dropPageOptions,
  z
    .strictObject(fields)
    .transform(toScrapeOptions)
    .superRefine(checkScrapeOptions)
    .transform(resolveScrapeOptions),
);

/** The JSON body of `POST /v2/parse`, for a file that was uploaded before. */
export const parseBody = z.preprocess(
  dropPageOptions,
  z
    .strictObject({
      uploadRef: z
        .string({
          error:
            'The file is missing: send multipart/form-data with the file in the part `file`, or JSON with the uploadRef of a file that was uploaded before',
        })
        .describe('from the response of POST /v2/parse/upload-url'),
      ...fields,
    })
    .transform(toScrapeOptions)
    .superRefine(checkScrapeOptions)
    .transform(resolveScrapeOptions),
);

/** Maximum size of an uploaded file in bytes. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
const MAX_NAME_CHARACTERS = 1_000;

/** The name of an uploaded file. */
export const fileName = withKeywords(
  z
    .string()
    .min(1)
    .max(MAX_NAME_CHARACTERS)
    .refine((name) => !/\p{Cc}/u.test(name), 'it contains a control character'),
  { pattern: '^\\P{Cc}*$', examples: ['report.pdf'] },
);

/** Body of `POST /v2/parse/upload-url`. */
export const uploadUrlBody = z.strictObject({
  filename: fileName.describe('name of the file with its extension'),
  contentType: z.string().max(255).optional().describe('media type of the file; default by the extension'),
  declaredSizeBytes: z
    .int()
    .min(0)
    .optional()
    .describe('size of the file, which is refused if it is too large'),
  ...callerFields,
});

/** Response of `POST /v2/parse/upload-url`. */
export const uploadUrlResponse = z.object({
  success: z.literal(true),
  data: z.object({
    uploadUrl: z.url().describe('URL that the file is sent to, which needs no key'),
    uploadRef: z.string().describe('reference to the file, for POST /v2/parse'),
    method: z.literal('PUT'),
    expiresAt: z.iso.datetime().describe('end of the hour in which the file must be uploaded and parsed'),
    maxSizeBytes: z.int(),
    warning: z
      .string()
      .optional()
      .describe('that contentType and the name of the file contradict each other'),
  }),
});

/** Response of `GET /v2/parse/formats`. */
export const parseFormatsResponse = z.object({
  success: z.literal(true),
  data: z.object({
    formats: z.array(
      z.object({
        format: z.string().describe('name of the format'),
        kind: z.enum(['document', 'image']).describe('the text of an image is recognised'),
        extensions: z.array(z.string()).describe('with their dots'),
        mimeTypes: z.array(z.string()),
        available: z.boolean(),
      }),
    ),
  }),
});
