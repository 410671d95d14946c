import { openFinishedScrapes } from './finished-scrapes.ts';
import type { Load, SharedParts } from './load.ts';
import { openPageJobs } from './page-jobs.ts';
import { openPages } from './pages.ts';
import { openScrapes } from './scrapes.ts';
import { openSessionWorkflows } from './session-workflows.ts';
import { openSessions } from './sessions.ts';

/** A kind of load: its title, the name of an operation, and which shared part it is about. */
interface LoadKind {
  title: string;
  operation: string;
  part: 'postgres' | 'temporal';
  open(parts: SharedParts): Load | Promise<Load>;
}

/** All kinds of load by their names on the command line. */
export const LOADS = {
  pages: {
    title: 'pages of crawls, a team each',
    operation: 'page',
    part: 'postgres',
    open: (parts) => openPages(parts, { sharesTeam: false }),
  },
  'team-pages': {
    title: 'pages of crawls of one team',
    operation: 'page',
    part: 'postgres',
    open: (parts) => openPages(parts, { sharesTeam: true }),
  },
  scrapes: { title: 'scrapes', operation: 'scrape', part: 'postgres', open: openScrapes },
  sessions: { title: 'sessions', operation: 'session', part: 'postgres', open: openSessions },
  'finished-scrapes': {
    title: 'records of scrapes',
    operation: 'scrape',
    part: 'temporal',
    open: openFinishedScrapes,
  },
  'page-jobs': {
    title: 'runs of page workers',
    operation: 'run',
    part: 'temporal',
    open: openPageJobs,
  },
  'session-workflows': {
    title: 'workflows of sessions',
    operation: 'session',
    part: 'temporal',
    open: openSessionWorkflows,
  },
} satisfies Record<string, LoadKind>;

export type LoadName = keyof typeof LOADS;
// The keys of an object literal are those of its type.
export const LOAD_NAMES = Object.keys(LOADS) as LoadName[];
