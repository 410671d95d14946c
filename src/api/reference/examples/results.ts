import { DOCUMENT, type Examples, JOB_ID, LATER, SCHEMA, SERVICE, SITE, TIME } from './example.ts';

const received = {
  success: true,
  feedbackId: JOB_ID,
  creditsRefunded: 1,
  creditsRefundedToday: 1,
  dailyRefundCap: 100,
};

const PROFILES = {
  success: true,
  data: [{ name: 'shop', bytes: 18_204, createdAt: TIME, savedAt: TIME, lastUsedAt: TIME }],
};

const found = {
  success: true,
  id: JOB_ID,
  data: {
    web: [{ url: `${SITE}/`, title: 'Example Domain', description: 'For use in documents.', position: 1 }],
  },
  warning: null,
  creditsUsed: 2,
};

/** Examples of maps, searches, feedback, uploaded files, extracts and agents. */
export const RESULT_EXAMPLES: Examples = {
  'post /v2/map': {
    requests: [
      { summary: 'List the URLs of a site', body: { url: SITE } },
      { summary: 'Find pages about prices', body: { url: SITE, search: 'price', limit: 20 } },
    ],
    response: { success: true, id: JOB_ID, links: [{ url: SITE, title: 'Example Domain' }] },
  },
  'get /v2/map/:id': {
    response: { success: true, id: JOB_ID, links: [{ url: SITE, title: 'Example Domain' }] },
  },
  'post /v2/search': {
    requests: [
      { summary: 'Search the web', body: { query: 'example domain', limit: 5 } },
      {
        summary: 'Search documents in PDF, and scrape the results',
        body: {
          query: 'example domain',
          sources: ['web'],
          categories: ['pdf'],
          scrapeOptions: { formats: ['markdown'] },
        },
      },
    ],
    response: found,
  },
  'get /v2/search/:id': { response: found },
  'post /v2/feedback': {
    requests: [
      {
        summary: 'Say what a result lacks',
        body: {
          endpoint: 'search',
          jobId: JOB_ID,
          rating: 'partial',
          missingContent: [{ topic: 'prices' }],
          note: 'The pages with prices are missing.',
        },
      },
    ],
    response: received,
  },
  'post /v2/search/:id/feedback': {
    requests: [
      {
        summary: 'Say which results were of use',
        body: { rating: 'good', valuableSources: [{ url: SITE, reason: 'It has the answer.' }] },
      },
    ],
    response: received,
  },
  'post /v2/parse': {
    requests: [
      {
        summary: 'Convert a file that was uploaded before',
        body: {
          uploadRef: 'the uploadRef of the response of POST /v2/parse/upload-url',
          formats: ['markdown'],
        },
      },
    ],
    response: {
      success: true,
      data: {
        ...DOCUMENT,
        metadata: {
          ...DOCUMENT.metadata,
          sourceFile: 'report.pdf',
          sourceURL: 'https://uploads.invalid/report.pdf',
          url: 'https://uploads.invalid/report.pdf',
          contentType: 'application/pdf',
          numPages: 1,
          totalPages: 1,
        },
      },
    },
  },
  'post /v2/parse/upload-url': {
    requests: [
      {
        summary: 'Get a URL for a PDF file',
        body: { filename: 'report.pdf', contentType: 'application/pdf', declaredSizeBytes: 48_000 },
      },
    ],
    response: {
      success: true,
      data: {
        uploadUrl: `${SERVICE}/v2/parse/upload/eyJpZCI6`,
        uploadRef: 'eyJyZWYi',
        method: 'PUT',
        expiresAt: LATER,
        maxSizeBytes: 52_428_800,
      },
    },
  },
  'get /v2/parse/formats': {
    response: {
      success: true,
      data: {
        formats: [
          {
            format: 'pdf',
            kind: 'document',
            extensions: ['.pdf'],
            mimeTypes: ['application/pdf'],
            available: true,
          },
          {
            format: 'jpg',
            kind: 'image',
            extensions: ['.jpg', '.jpeg'],
            mimeTypes: ['image/jpeg'],
            available: true,
          },
        ],
      },
    },
  },
  ...Object.fromEntries(
    ['/v2/browser', '/v2/interact'].map((base) => [`get ${base}/profiles`, { response: PROFILES }]),
  ),
  'delete /v2/browser/profiles/:name': { response: { success: true } },
  'delete /v2/interact/profiles/:name': { response: { success: true } },
  'post /v2/extract': {
    requests: [{ summary: 'Extract data by a schema', body: { urls: [SITE], schema: SCHEMA } }],
    response: { success: true, id: JOB_ID, invalidURLs: [], replacement: '/v2/agent' },
  },
  'get /v2/extract/:id': {
    response: {
      success: true,
      id: JOB_ID,
      status: 'completed',
      data: { title: 'Example Domain', price: 12 },
      llmUsage: 1200,
      expiresAt: LATER,
      creditsUsed: 5,
      tokensUsed: 75,
    },
  },
  'post /v2/agent': {
    requests: [
      {
        summary: 'Find data on some pages',
        body: {
          prompt: 'What is the title of the page, and what does it cost?',
          urls: [SITE],
          schema: SCHEMA,
        },
      },
    ],
    response: { success: true, id: JOB_ID },
  },
  'get /v2/agent': {
    response: {
      success: true,
      agents: [
        {
          id: JOB_ID,
          createdAt: TIME,
          targetHint: SITE,
          origin: 'api',
          settings: { hidden: false, starred: false },
          status: 'completed',
          options: { prompt: 'What is the title of the page, and what does it cost?', urls: [SITE] },
        },
      ],
    },
  },
  'get /v2/agent/:id': {
    response: {
      success: true,
      id: JOB_ID,
      status: 'completed',
      data: { title: 'Example Domain', price: 12 },
      llmUsage: 1200,
      expiresAt: LATER,
      creditsUsed: 5,
      tokensUsed: 75,
      model: 'spark-2',
      effort: 'medium',
      mode: 'extract',
      sources: [SITE],
    },
  },
  'delete /v2/agent/:id': { response: { success: true } },
  'get /v2/agent/:id/trace': {
    response: {
      success: true,
      id: JOB_ID,
      events: [
        {
          schemaVersion: 1,
          eventId: `${JOB_ID}-0`,
          runId: JOB_ID,
          occurredAt: TIME,
          producerSequence: 0,
          agent: { id: JOB_ID, role: 'orchestrator', name: 'agent' },
          type: 'run.started',
        },
      ],
      creditsUsed: 5,
    },
  },
  'get /v2/agent/:id/snapshots/:snapshotId': {
    response: { success: true, id: JOB_ID, snapshotId: '3', snapshot: '{"title":"Example Domain"}' },
  },
};
