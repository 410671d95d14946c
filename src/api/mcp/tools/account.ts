import { z } from 'zod';
import { ServiceError } from '../../../errors.ts';
import { feedbackBody, feedbackResponse, searchFeedbackBody } from '../../../schemas/feedback.ts';
import { creditHistoryResponse, creditUsageResponse } from '../../../schemas/team.ts';
import { defineTool } from '../tool.ts';
import { loosely } from './parameters.ts';

const PATH = '/v2/team/credit-usage';

/** Reads the credits of the team. */
export const creditUsage = defineTool({
  name: 'firecrawl_credit_usage',
  title: 'Read the credits of the team',
  description:
    'Returns the credits that the team has left, or with view "historical" those that it has used by month.',
  input: z.looseObject({
    view: z.enum(['current', 'historical']).optional().describe('current by default'),
    byApiKey: z
      .boolean()
      .optional()
      .describe('separate entries for each API key; only in the view historical'),
  }),
  output: creditUsageResponse.partial().extend(creditHistoryResponse.partial().shape),
  hints: { readOnly: true },
  run({ view = 'current', byApiKey, ...query }, { call }) {
    if (byApiKey && view === 'current')
      throw new ServiceError('BAD_REQUEST', 'byApiKey is only possible with the view historical.');
    return view === 'historical'
      ? call({ method: 'get', path: `${PATH}/historical`, query: { ...query, byApiKey } })
      : call({ method: 'get', path: PATH, query });
  },
});

/** Rates a result. */
export const feedback = defineTool({
  name: 'firecrawl_feedback',
  title: 'Rate a result',
  description:
    'Says how useful the result of a search, scrape, parse or map was, by its id and with more than the rating: issues, a note or what was missing.',
  input: loosely(feedbackBody, [
    ...([
      'endpoint',
      'jobId',
      'rating',
      'issues',
      'tags',
      'note',
      'valuableSources',
      'missingContent',
    ] as const),
    ...(['querySuggestions', 'url', 'pageNumbers', 'metadata'] as const),
  ]),
  output: feedbackResponse,
  hints: {},
  run: (body, { call }) => call({ method: 'post', path: '/v2/feedback', body }),
});

/** Rates the results of a search. */
export const searchFeedback = defineTool({
  name: 'firecrawl_search_feedback',
  title: 'Rate the results of a search',
  description:
    'Says how useful the results of a search were, by the id that firecrawl_search has returned. The first feedback refunds a credit, up to a number each day.',
  input: z.looseObject({
    searchId: z.string().describe('id of the search'),
    ...loosely(searchFeedbackBody, ['rating', 'valuableSources', 'missingContent', 'querySuggestions']).shape,
  }),
  output: feedbackResponse,
  hints: {},
  run: ({ searchId, ...body }, { call }) =>
    call({ method: 'post', path: '/v2/search/:id/feedback', params: { id: searchId }, body }),
});
