import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** The team that a job belongs to. */
export const TeamId = defineSearchAttributeKey('TeamId', SearchAttributeType.KEYWORD);
/** The kind of the job, e.g. `scrape`. */
export const JobKind = defineSearchAttributeKey('JobKind', SearchAttributeType.KEYWORD);
/** The host of the requested URL. */
export const Host = defineSearchAttributeKey('Host', SearchAttributeType.KEYWORD);
/**
 * The code of the error that ended a job. A completed job has none, because the status of its workflow says
 * so.
 */
export const Outcome = defineSearchAttributeKey('Outcome', SearchAttributeType.KEYWORD);

/**
 * All search attributes, which have to be registered with the server. Jobs with zero data retention start
 * without them.
 */
export const SEARCH_ATTRIBUTES = [TeamId, JobKind, Host, Outcome];
