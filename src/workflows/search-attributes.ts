import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** The team that a job belongs to. */
export const TeamId = defineSearchAttributeKey('TeamId', SearchAttributeType.KEYWORD);
/** What kind of job it is, e.g. `scrape`. */
export const JobKind = defineSearchAttributeKey('JobKind', SearchAttributeType.KEYWORD);
/** The host that it is about. */
export const Host = defineSearchAttributeKey('Host', SearchAttributeType.KEYWORD);
/** The code of the error that ended a job; one that completed has none, its status says so. */
export const Outcome = defineSearchAttributeKey('Outcome', SearchAttributeType.KEYWORD);

/** All of them, to be registered with the server. Jobs with zero data retention start with none. */
export const SEARCH_ATTRIBUTES = [TeamId, JobKind, Host, Outcome];
