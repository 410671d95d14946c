import { defineCommand } from 'citty';
import { fieldsOf } from '../../json/json-object.ts';
import { parseWholeNumber } from '../arguments.ts';
import { formatJudgment, monitorPath } from '../monitor-checks.ts';
import { printTable } from '../print-table.ts';
import { askRunningService } from '../running-service.ts';

const id = { type: 'positional', description: 'id of the monitor', required: true } as const;
const json = { type: 'boolean', description: 'print JSON' } as const;
const listOf = (value: unknown) => (Array.isArray(value) ? value : []).map(fieldsOf);

/** `monitor judge`: tries a goal on the changes that the last checks have found. */
export const judgeCommand = defineCommand({
  meta: { name: 'judge', description: 'try a goal on the changes of the last checks, which changes nothing' },
  args: {
    id,
    goal: { type: 'string', valueHint: 'text', description: 'what changes matter, in words', required: true },
    checks: { type: 'string', valueHint: 'n', description: 'the last checks; default 10' },
    json,
  },
  async run({ args }) {
    const checks = parseWholeNumber('checks', args.checks);
    const { data } = await askRunningService('Judging the changes', {
      method: 'POST',
      path: `${monitorPath(args.id)}/judge`,
      body: { goal: args.goal, checks, origin: 'cli' },
    });
    const { pages, leftOut, creditsUsed } = fieldsOf(data);
    if (args.json) process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
    else
      for (const { checkedAt, url, judgment, error } of listOf(pages))
        process.stdout.write(
          `${String(checkedAt)}  ${String(url)}  ${formatJudgment(judgment) || `(${String(error)})`}\n`,
        );
    const older = Number(leftOut) > 0 ? `, ${String(leftOut)} older ones were left out` : '';
    process.stderr.write(
      `${listOf(pages).length} changes${older}. It cost ${String(creditsUsed)} credits.\n`,
    );
  },
});

/** `monitor ask`: asks a question about the history of a page. */
export const askHistoryCommand = defineCommand({
  meta: { name: 'ask', description: 'ask a question about the history of a page' },
  args: {
    id,
    question: { type: 'positional', description: 'the question', required: true },
    url: { type: 'string', valueHint: 'url', description: 'the page, where the monitor has several' },
    json,
  },
  async run({ args }) {
    const { data } = await askRunningService('Reading the history', {
      method: 'POST',
      path: `${monitorPath(args.id)}/ask`,
      body: { question: args.question, url: args.url, origin: 'cli' },
    });
    if (args.json) return void process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
    const { answer, evidence, isPartial } = fieldsOf(data);
    process.stdout.write(`${String(answer)}\n`);
    for (const { checkedAt, quote } of listOf(evidence))
      process.stdout.write(`- ${String(checkedAt)}: ${String(quote)}\n`);
    if (isPartial === true)
      process.stderr.write('The history was too long: only its newest part was read.\n');
  },
});

/** `monitor series`: prints the values of the data of a page over time. */
export const seriesCommand = defineCommand({
  meta: { name: 'series', description: 'print the values of the data of a page over time' },
  args: {
    id,
    field: { type: 'string', valueHint: 'name', description: 'only this field, such as price' },
    url: { type: 'string', valueHint: 'url', description: 'the page, where the monitor has several' },
    json,
  },
  async run({ args }) {
    const query = queryOf({ field: args.field, url: args.url });
    const path = `${monitorPath(args.id)}/series${query}`;
    const { data } = await askRunningService('Reading the values', { method: 'GET', path });
    if (args.json) return void process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
    const rows = listOf(data).flatMap(({ field, points }) =>
      listOf(points).map(({ checkedAt, value }) => ({
        time: String(checkedAt),
        field: String(field),
        value: String(value),
      })),
    );
    if (rows.length) printTable(rows);
    else process.stderr.write('No check has found data. Ask for the format json in scrapeOptions.\n');
  },
});

/** The query of a URL, without the parameters that have no value. */
export const queryOf = (parameters: Record<string, string | undefined>): string => {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return given.length ? `?${new URLSearchParams(given)}` : '';
};
