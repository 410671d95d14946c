import { defineCommand } from 'citty';
import { parseList, parseWholeNumber } from '../arguments.ts';
import { readSchema, runAgent, runArguments } from '../run-agent.ts';

/** Not `as const`, because citty requires a mutable array. */
const EFFORTS = ['low', 'medium', 'high'];

const args = {
  prompt: { type: 'positional', description: 'the data to find', required: true },
  urls: { type: 'string', valueHint: 'a,b', description: 'where to look' },
  strict: { type: 'boolean', description: 'open nothing but these URLs' },
  effort: { type: 'enum', options: EFFORTS, description: 'how thorough the agent is' },
  'max-credits': { type: 'string', valueHint: 'n', description: 'credits that it may cost at most' },
  ...runArguments,
} as const;

/** `agent`: prints the data that a language model finds on the web. */
export const agentCommand = defineCommand({
  meta: { name: 'agent', description: 'let a language model find data on the web' },
  args,
  async run({ args: { output, json, ...values } }) {
    const body = {
      prompt: values.prompt,
      urls: parseList(values.urls),
      schema: readSchema(values.schema),
      strictConstrainToURLs: values.strict,
      effort: values.effort,
      maxCredits: parseWholeNumber('max-credits', values['max-credits']),
    };
    await runAgent({ path: '/v2/agent', name: 'The agent', body, output, json });
  },
});
