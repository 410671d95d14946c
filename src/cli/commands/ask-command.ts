import { defineCommand } from 'citty';
import { readConfig } from '../../config.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { type ApiResponse, postJson } from '../api-client.ts';
import { withConnection } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';

const args = {
  question: { type: 'positional', description: 'the question, in plain words', required: true },
  job: { type: 'string', valueHint: 'id', description: 'id of the job that the question is about' },
  docs: { type: 'boolean', description: 'answer from the guides and the API reference only' },
  json: { type: 'boolean', description: 'print the whole response' },
} as const;

/** `ask`: explains why a job went as it did, or answers from the guides. */
export const askCommand = defineCommand({
  meta: { name: 'ask', description: 'find out why a job went as it did, or how something works' },
  args,
  async run({ args: values }) {
    const { question, job: jobId } = values;
    const path = values.docs ? '/v2/support/docs-search' : '/v2/support/ask';
    const body = { question, ...(jobId && !values.docs && { jobId }), origin: 'cli' };
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    const response = await withConnection({ config: readConfig(), progress, interrupt }, (target) =>
      progress.step('Looking for an answer', () => postJson(target, path, body, interrupt.signal)),
    );
    process.stdout.write(values.json ? `${JSON.stringify(response, null, 2)}\n` : formatAnswer(response));
  },
});

/** The answer, and what it is based on or proposes, one per line. */
function formatAnswer({ answer, fixParameters, validation, evidence }: ApiResponse): string {
  const { result } = fieldsOf(validation);
  const proof = typeof result === 'string' ? ` (test: ${result})` : '';
  const sections = Array.isArray(evidence) ? evidence.map((each) => String(fieldsOf(each).pathOrUrl)) : [];
  const fix = fixParameters ? [`Parameters: ${JSON.stringify(fixParameters)}${proof}`] : [];
  return [String(answer), ...fix, ...sections].map((line) => `${line}\n`).join('');
}
