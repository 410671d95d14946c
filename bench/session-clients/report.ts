import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { table } from '../figures.ts';
import type { Client } from './clients.ts';
import { FAILURES, judge, STEPS, type StepOutcome } from './run-client.ts';

/** The outcomes of a client, or why it could not be run. */
export interface ClientReport {
  client: Pick<Client, 'name' | 'version' | 'by'>;
  outcomes?: Map<string, StepOutcome>;
  missing?: string;
}

export const GUIDE = path.join(import.meta.dirname, '..', '..', 'docs', 'guides', 'browser-sessions.md');
/** The name of the part of the guide that the tables are. */
export const SECTION = 'session clients';
/** The part of a message that is shown. */
const MESSAGE_LENGTH = 240;

/** The columns of the table of steps and of that of errors. */
const STEP_TITLES: Record<(typeof STEPS)[number], string> = {
  connect: 'connects',
  navigate: 'opens a page',
  upload: 'uploads',
  download: 'downloads',
  tabs: 'tabs, popups',
  reconnect: 'reconnects',
};
const FAILURE_TITLES: Record<(typeof FAILURES)[number], string> = {
  unreachable: 'nothing listens at the port of the page',
  private: 'the page has a private address',
  unknown: 'the URL of the session is wrong',
  ended: 'the session has ended',
  killed: 'the session ends during a command',
};

/** Whether every client that was run did all of its steps. */
export const allSucceeded = (reports: ClientReport[]): boolean =>
  reports.every(
    ({ outcomes }) => !outcomes || STEPS.every((step) => judge(step, outcomes.get(step)) === true),
  );

/** Writes the table of what clients do, and that of their errors. */
export function tablesOf(reports: ClientReport[]): string {
  const steps = reports.map((report) => ({
    client: nameOf(report),
    ...Object.fromEntries(STEPS.map((step) => [STEP_TITLES[step], stepCell(step, report)])),
  }));
  const errors = FAILURES.map((failure) => ({
    error: FAILURE_TITLES[failure],
    ...Object.fromEntries(reports.map((report) => [report.client.name, errorCell(failure, report)])),
  }));
  return `${table(steps)}\n\n${table(errors)}`;
}

const nameOf = ({ client }: ClientReport) => `${client.name} ${client.version.replace(/^v/, '')}`;

function stepCell(step: (typeof STEPS)[number], { client, outcomes, missing }: ClientReport): string {
  if (!outcomes) return `not run: ${asCell(missing ?? '')}`;
  const judged = judge(step, outcomes.get(step));
  if (judged !== true) return `**no**: ${asCell(judged)}`;
  const by = step === 'connect' || step === 'download' ? client.by?.[step] : undefined;
  return by === undefined ? 'yes' : `by ${by}`;
}

function errorCell(failure: (typeof FAILURES)[number], { outcomes }: ClientReport): string {
  const outcome = outcomes?.get(failure);
  if (!outcome) return 'not run';
  return outcome.error === undefined ? 'no error' : `\`${asCell(outcome.error)}\``;
}

/** The first line of a message, without what differs from run to run. */
function asCell(message: string): string {
  const [line = ''] = stripVTControlCharacters(message).split('\n');
  const plain = line
    .replace(/wss?:\/\/[^\s"]+\/cdp\/[\w-]+/g, '{cdpUrl}')
    .replace(/https?:\/\/127\.0\.0\.1:\d+\/?/g, '{url}')
    .replace(/127\.0\.0\.1:\d+/g, '{host}')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}')
    .replace(/[0-9A-F]{32}/g, '{frame}')
    .replaceAll('|', '\\|')
    .replaceAll('`', "'");
  return plain.length > MESSAGE_LENGTH ? `${plain.slice(0, MESSAGE_LENGTH)}…` : plain;
}
