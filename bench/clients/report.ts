import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { table } from '../figures.ts';
import type { Client } from './clients.ts';
import type { ClientRun } from './run-client.ts';

/** A client with what it did, or why it could not be run. */
export interface ClientReport {
  client: Pick<Client, 'name' | 'version' | 'set' | 'faults'>;
  run?: ClientRun;
  missing?: string;
}

export const GUIDE = path.join(import.meta.dirname, '..', '..', 'docs', 'guides', 'clients.md');
export const SECTION = 'clients';
/** The part of a message that is shown. */
const MESSAGE_LENGTH = 200;

/** The methods of a client by how they ended. */
interface Verdict {
  works: string[];
  /** Refused by the service as the program expects. */
  refused: string[];
  /** They fail by a fault of the client that is known. */
  faults: string[];
  /** What should not be: methods that failed or were not called, and faults that are gone, each with the reason. */
  wrong: Map<string, string>;
}

function judge({ client: { faults = {} }, run }: ClientReport): Verdict {
  const verdict: Verdict = { works: [], refused: [], faults: [], wrong: new Map() };
  for (const method of new Set([...(run?.methods ?? []), ...(run?.calls ?? []).map((call) => call.method)])) {
    const calls = run!.calls.filter((call) => call.method === method);
    const failed = calls.find(({ error }) => error !== undefined);
    if (faults[method] !== undefined) {
      if (failed) verdict.faults.push(method);
      else verdict.wrong.set(method, 'the fault of the client is gone');
    } else if (failed) verdict.wrong.set(method, failed.error!);
    else if (calls.length === 0) verdict.wrong.set(method, 'not called');
    else (calls.some(({ refusal }) => refusal) ? verdict.refused : verdict.works).push(method);
  }
  if (run?.crash) verdict.wrong.set('the program', run.crash);
  return verdict;
}

/** Whether all methods of every client that was run ended as they should. */
export const allSucceeded = (reports: ClientReport[]): boolean =>
  reports.every((report) => judge(report).wrong.size === 0);

/** What is wrong with a client, one line for each method. */
export const faultsOf = (report: ClientReport): string[] =>
  report.missing === undefined
    ? [...judge(report).wrong].map(([method, reason]) => `${method}: ${reason}`)
    : [`not run: ${report.missing}`];

/** Writes the table of clients. */
export const tableOf = (reports: ClientReport[]): string => table(reports.map(rowOf));

function rowOf(report: ClientReport) {
  const { client, missing } = report;
  const { works, refused, faults, wrong } = judge(report);
  const notes = [
    ...(refused.length > 0 ? [`refused with the reason: ${namesOf(refused)}`] : []),
    ...faults.map((method) => `\`${method}\`: ${client.faults?.[method]}`),
    ...[...wrong].map(([method, reason]) => `**\`${method}\`: ${asCell(reason)}**`),
  ];
  const count = works.length + refused.length + faults.length + wrong.size;
  return {
    client: client.name,
    version: client.version,
    methods: missing === undefined ? count : '',
    work: missing === undefined ? works.length : `not run: ${asCell(missing)}`,
    'what to set': client.set,
    'what does not work': notes.join('; '),
  };
}

const namesOf = (methods: string[]) => methods.map((method) => `\`${method}\``).join(', ');

/** The first line of a message, without what differs from run to run. */
function asCell(message: string): string {
  const [line = ''] = stripVTControlCharacters(message).split('\n');
  const plain = line
    .replace(/https?:\/\/127\.0\.0\.1:\d+\/?/g, '{url}')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}')
    .replaceAll('|', '\\|')
    .replaceAll('`', "'");
  return plain.length > MESSAGE_LENGTH ? `${plain.slice(0, MESSAGE_LENGTH)}…` : plain;
}
