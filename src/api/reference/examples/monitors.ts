import { type Examples, JOB_ID, LATER, PAGE_ID, SERVICE, SITE, TIME } from './example.ts';

const targets = [{ type: 'scrape', urls: [`${SITE}/one`] }];
const summary = { totalPages: 1, same: 0, changed: 1, new: 0, removed: 0, error: 0 };
const monitor = {
  id: JOB_ID,
  name: 'Prices',
  tags: ['shop'],
  status: 'active',
  schedule: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
  nextRunAt: LATER,
  lastRunAt: TIME,
  currentCheckId: null,
  targets: [{ ...targets[0], id: 'target-1' }],
  webhook: { url: `${SITE}/hook`, headers: {}, metadata: {}, events: ['page', 'check.completed'] },
  notification: { email: { enabled: true, recipients: ['reader@example.com'], includeDiffs: true } },
  feedUrl: `${SERVICE}/v2/monitor/feed/token`,
  retentionDays: 30,
  estimatedCreditsPerMonth: 30,
  lastCheckSummary: summary,
  goal: null,
  judgeEnabled: false,
  emailRecipientSubscriptions: [{ email: 'reader@example.com', status: 'confirmed', source: 'opt_in' }],
  createdAt: TIME,
  updatedAt: TIME,
};
const check = {
  id: PAGE_ID,
  monitorId: JOB_ID,
  status: 'completed',
  trigger: 'scheduled',
  scheduledFor: TIME,
  startedAt: TIME,
  finishedAt: TIME,
  estimatedCredits: 1,
  reservedCredits: 0,
  actualCredits: 1,
  billingStatus: 'confirmed',
  summary,
  targetResults: [{ targetId: 'target-1', type: 'scrape', expectedJobs: [JOB_ID] }],
  notificationStatus: { email: { pending: 0, sent: 1, failed: 0 } },
  error: null,
  warning: null,
  createdAt: TIME,
  updatedAt: TIME,
};
const page = {
  id: JOB_ID,
  targetId: 'target-1',
  url: `${SITE}/one`,
  status: 'changed',
  previousScrapeId: PAGE_ID,
  currentScrapeId: JOB_ID,
  statusCode: 200,
  error: null,
  failures: 0,
  isRecovered: false,
  metadata: { title: 'Example Domain', url: `${SITE}/one` },
  diff: {
    text: '@@ -3,1 +3,1 @@\n-It costs 12 euros.\n+It costs 9 euros.',
    json: { files: [] },
    screenshot: {
      changedShare: 0.031,
      before: `${SERVICE}/v2/files/token-1`,
      after: `${SERVICE}/v2/files/token-2`,
      difference: `${SERVICE}/v2/files/token-3`,
    },
  },
  snapshot: { screenshot: `${SERVICE}/v2/files/token-2`, changedShare: 0.031 },
  judgment: null,
  createdAt: TIME,
};
const judgment = {
  meaningful: true,
  confidence: 'high',
  reason: 'The price fell from 12 to 9 euros.',
  meaningfulChanges: [
    {
      type: 'changed',
      before: 'It costs 12 euros.',
      after: 'It costs 9 euros.',
      reason: 'The price is lower.',
    },
  ],
};
const one = { success: true, data: monitor };
const next = `${SERVICE}/v2/monitor/${JOB_ID}/checks/${PAGE_ID}?limit=1&skip=1`;

/** Examples of monitors and their checks. */
export const MONITOR_EXAMPLES: Examples = {
  'post /v2/monitor': {
    requests: [
      {
        summary: 'Watch a page every morning',
        body: {
          name: 'Prices',
          tags: ['shop'],
          schedule: { text: 'daily at 9:00', timezone: 'Europe/Berlin' },
          targets,
          webhook: `${SITE}/hook`,
        },
      },
      {
        summary: 'Watch a site, without its dates',
        body: {
          name: 'Documentation',
          schedule: { cron: '0 */6 * * *' },
          targets: [
            { type: 'crawl', url: SITE, crawlOptions: { limit: 50 }, changeDetection: { ignore: ['dates'] } },
          ],
          retentionDays: 90,
        },
      },
      {
        summary: 'Watch how a page looks, without its advertisements',
        body: {
          name: 'Start page',
          schedule: { text: 'hourly' },
          targets: [
            {
              type: 'scrape',
              urls: [SITE],
              scrapeOptions: { formats: ['markdown', { type: 'screenshot', fullPage: true }] },
              changeDetection: {
                screenshot: {
                  threshold: 0.01,
                  mask: ['.advertisement', { x: 0, y: 0, width: 1280, height: 40 }],
                },
              },
            },
          ],
        },
      },
    ],
    response: one,
  },
  'get /v2/monitor': {
    response: { success: true, data: [monitor], tags: [{ tag: 'shop', monitors: 1 }] },
  },
  'get /v2/monitor/:id': { response: one },
  'patch /v2/monitor/:id': {
    requests: [
      { summary: 'Pause a monitor, and remove its webhook', body: { status: 'paused', webhook: null } },
    ],
    response: { success: true, data: { ...monitor, status: 'paused', nextRunAt: null, webhook: null } },
  },
  'delete /v2/monitor/:id': { response: { success: true } },
  'post /v2/monitor/:id/run': {
    requests: [{ summary: 'Check a monitor now', body: {} }],
    response: {
      success: true,
      id: PAGE_ID,
      data: { ...check, status: 'running', trigger: 'manual', scheduledFor: null, finishedAt: null },
    },
  },
  'post /v2/monitor/:id/feed/rotate': {
    requests: [{ summary: 'Replace the URL of a feed', body: {} }],
    response: { success: true, data: { ...monitor, feedUrl: `${SERVICE}/v2/monitor/feed/new-token` } },
  },
  'post /v2/monitor/:id/judge': {
    requests: [{ summary: 'Try a goal', body: { goal: 'The price is lower than before.', checks: 5 } }],
    response: {
      success: true,
      data: {
        goal: 'The price is lower than before.',
        pages: [
          {
            id: JOB_ID,
            checkId: PAGE_ID,
            checkedAt: TIME,
            targetId: 'target-1',
            url: `${SITE}/one`,
            judgment,
            error: null,
            earlierJudgment: null,
          },
        ],
        leftOut: 0,
        creditsUsed: 1,
      },
    },
  },
  'post /v2/monitor/:id/ask': {
    requests: [
      {
        summary: 'Ask about the history of a page',
        body: { question: 'When did the price change?', url: `${SITE}/one` },
      },
    ],
    response: {
      success: true,
      data: {
        answer: 'It fell from 12 to 9 euros on 1 February 2026.',
        evidence: [{ checkId: PAGE_ID, checkedAt: TIME, url: `${SITE}/one`, quote: 'It costs 9 euros.' }],
        isPartial: false,
        creditsUsed: 4,
      },
    },
  },
  'get /v2/monitor/:id/history': {
    response: {
      success: true,
      data: [
        {
          checkId: PAGE_ID,
          checkedAt: TIME,
          targetId: 'target-1',
          url: `${SITE}/one`,
          status: 'changed',
          hasVersion: true,
          judgment: null,
        },
      ],
    },
  },
  'get /v2/monitor/:id/series': {
    response: {
      success: true,
      data: [{ field: 'price', points: [{ checkId: PAGE_ID, checkedAt: TIME, value: 9 }] }],
    },
  },
  'get /v2/monitor/:id/compare': {
    response: {
      success: true,
      data: {
        url: `${SITE}/one`,
        from: { checkId: JOB_ID, checkedAt: TIME },
        to: { checkId: PAGE_ID, checkedAt: LATER },
        isSame: false,
        diff: page.diff,
      },
    },
  },
  'get /v2/monitor/:id/checks': { response: { success: true, data: [check] } },
  'get /v2/monitor/:id/checks/:checkId': {
    response: { success: true, next, data: { ...check, pages: [page], next } },
  },
};
