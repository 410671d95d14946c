import { type Examples, JOB_ID, LATER, SITE, TIME } from './example.ts';

const period = { billingPeriodStart: null, billingPeriodEnd: null };
const delivery = {
  id: JOB_ID,
  jobId: JOB_ID,
  type: 'crawl.page',
  status: 'delivered',
  attempts: 1,
  responseStatus: 200,
  responseBody: '{"received":true}',
  error: null,
  createdAt: TIME,
  lastAttemptAt: TIME,
  nextAttemptAt: null,
  deliveredAt: TIME,
};

/** Examples of support, teams and webhooks. */
export const TEAM_EXAMPLES: Examples = {
  'post /v2/support/ask': {
    requests: [
      {
        summary: 'Ask why a job went as it did',
        body: { question: 'Why is the content empty?', jobId: JOB_ID },
      },
    ],
    response: {
      requestId: JOB_ID,
      answer: 'The page builds its text by scripts, and fastMode does not run them. Leave fastMode out.',
      confidence: 'high',
      fixParameters: { fastMode: false },
      validation: { tested: true, result: 'success', evidence: 'The markdown then has 1200 characters.' },
      feedback: null,
      durationMs: 5200,
    },
  },
  'post /v2/support/docs-search': {
    requests: [{ summary: 'Ask how something works', body: { question: 'How do I stay logged in?' } }],
    response: {
      requestId: JOB_ID,
      answer: 'A profile keeps cookies between scrapes with the same name.',
      evidence: [
        {
          pathOrUrl: '/docs/guides/scrape#stay-logged-in-with-a-browser-profile',
          reason: 'It has: logged, stay',
        },
      ],
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      durationMs: 40,
    },
  },
  'get /v2/team/credit-usage': {
    response: { success: true, data: { remainingCredits: 9_500, planCredits: 10_000, ...period } },
  },
  'get /v2/team/token-usage': {
    response: { success: true, data: { remainingTokens: 142_500, planTokens: 150_000, ...period } },
  },
  'get /v2/team/credit-usage/historical': {
    response: {
      success: true,
      periods: [{ startDate: TIME, endDate: LATER, totalCredits: 500, creditsUsed: 500 }],
    },
  },
  'get /v2/team/token-usage/historical': {
    response: {
      success: true,
      periods: [{ startDate: TIME, endDate: LATER, totalTokens: 7_500, tokensUsed: 7_500 }],
    },
  },
  'get /v2/team/queue-status': {
    response: {
      success: true,
      jobsInQueue: 12,
      activeJobsInQueue: 10,
      waitingJobsInQueue: 2,
      maxConcurrency: 10,
      mostRecentSuccess: TIME,
    },
  },
  'get /v2/concurrency-check': { response: { success: true, concurrency: 10, maxConcurrency: 50 } },
  'get /v2/team/activity': {
    response: {
      success: true,
      data: [{ id: JOB_ID, endpoint: 'scrape', api_version: 'v2', created_at: TIME, target: SITE }],
      cursor: null,
      has_more: false,
    },
  },
  'get /v2/jobs': {
    response: {
      success: true,
      data: [
        {
          id: JOB_ID,
          kind: 'crawl',
          status: 'completed',
          paused: false,
          target: SITE,
          apiKey: 'production',
          createdAt: TIME,
          finishedAt: TIME,
          creditsUsed: 20,
          pages: { total: 20, completed: 20, failed: 0 },
          statusCode: null,
          error: null,
        },
      ],
      cursor: null,
      has_more: false,
    },
  },
  'get /v2/team/model-usage': {
    response: {
      success: true,
      data: {
        tokensPerDay: 1_000_000,
        days: [{ date: TIME.slice(0, 10), tokens: 48_200 }],
        periods: [{ startDate: TIME, apiKey: 'production', tokens: 48_200, calls: 12 }],
      },
    },
  },
  'get /v2/team/page-usage': {
    response: {
      success: true,
      data: [
        { date: TIME.slice(0, 10), engine: 'browser', outcome: 'failed', pages: 12 },
        { date: TIME.slice(0, 10), engine: 'http', outcome: 'completed', pages: 4_310 },
      ],
    },
  },
  'get /v2/team/limits': {
    response: {
      success: true,
      data: {
        requestsPerMinute: { limit: 5_000, used: 12 },
        concurrency: { limit: 50, used: 4 },
        sessions: { limit: 5, used: 1 },
        openJobs: { limit: null, used: 2 },
        monitors: { limit: 1_000, used: 7 },
        storedMegabytes: { limit: 10_240, used: 312 },
        credits: { limit: null, used: 0 },
        modelTokensPerDay: { limit: 1_000_000, used: 48_200 },
      },
    },
  },
  'get /v2/team/keys': {
    response: {
      success: true,
      data: [{ name: 'production', hint: '4f2a', createdAt: TIME, lastUsedAt: TIME, revokedAt: null }],
    },
  },
  'get /v2/webhooks/deliveries': {
    response: { success: true, data: [delivery], cursor: null, has_more: false },
  },
  'get /v2/webhooks/deliveries/:id': {
    response: {
      success: true,
      data: {
        ...delivery,
        event: {
          success: true,
          type: 'crawl.page',
          id: JOB_ID,
          webhookId: JOB_ID,
          data: [{ markdown: '# Example', metadata: { sourceURL: SITE, statusCode: 200, scrapeId: JOB_ID } }],
        },
      },
    },
  },
  'post /v2/webhooks/deliveries/:id/redeliver': {
    requests: [{ summary: 'Send the event again', body: {} }],
    response: {
      success: true,
      data: { ...delivery, status: 'pending', deliveredAt: null, nextAttemptAt: LATER },
    },
  },
};
