import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { ApiError, send } from '../api.ts';
import { duration } from '../elements/format.ts';
import { BASE } from '../router.ts';

/** What became of code or a prompt, as the API returns it. */
interface CodeResult {
  stdout: string;
  result: string;
  stderr: string;
  exitCode: number;
  killed: boolean;
  truncated: boolean;
  error?: string;
  /** What the language model said at the end of a prompt. */
  output?: string;
  /** The session in which it ran, where a scrape was continued. */
  sessionId?: string;
}

/** A way to drive a browser, with an example that does no harm. */
interface Way {
  title: string;
  example: string;
  /** Whether it is a prompt in place of code. */
  isPrompt?: true;
}

const CODE: Record<string, Way> = {
  node: {
    title: 'JavaScript',
    example: "await page.goto('https://example.com');\nawait page.title()",
  },
  python: {
    title: 'Python',
    example: "await page.goto('https://example.com')\nprint(await page.title())",
  },
  bash: { title: 'Bash', example: 'agent-browser open https://example.com\nagent-browser snapshot' },
};
const PROMPT: Record<string, Way> = {
  prompt: {
    title: 'Prompt',
    example: 'Open the contact page and tell the telephone number.',
    isPrompt: true,
  },
};

/**
 * Runs code in the browser of a session, or gives it a task in words where the API takes one.
 * @param props.path where the code is sent to
 * @param props.takesPrompt whether the API takes a prompt there
 */
export function SessionCode({ path, takesPrompt = false }: { path: string; takesPrompt?: boolean }) {
  const ways = { ...(takesPrompt && PROMPT), ...CODE };
  const chosen = useSignal(Object.keys(ways)[0] ?? 'node');
  const texts = useSignal<Record<string, string>>({});
  const state = useSignal<'' | 'running' | string>('');
  const done = useSignal<{ result: CodeResult; ms: number } | undefined>(undefined);
  const way = ways[chosen.value] as Way;
  const text = texts.value[chosen.value] ?? '';
  const run = async (event: Event) => {
    event.preventDefault();
    state.value = 'running';
    done.value = undefined;
    const began = performance.now();
    const finish = (result: CodeResult) => {
      done.value = { result, ms: performance.now() - began };
      state.value = '';
    };
    const body = way.isPrompt ? { prompt: text } : { code: text, language: chosen.value };
    try {
      finish((await send<CodeResult>({ method: 'POST', path, body })).body);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Where a scrape is continued, code that failed is a failure of the request, with a result all the same.
      if (isResult(error.body)) finish(error.body);
      else state.value = error.message;
    }
  };
  const isRunning = state.value === 'running';
  return html`
    <section class="card session-code" aria-label="Run code">
      <h2>${takesPrompt ? 'Go on in a browser' : 'Run code'}</h2>
      <form onSubmit=${run}>
        <div class="chips" role="group" aria-label="Language">
          ${Object.entries(ways).map(
            ([name, { title }]) =>
              html`<button type="button" class="chip" aria-pressed=${name === chosen.value} onClick=${() => {
                chosen.value = name;
              }}>${title}</button>`,
          )}
        </div>
        <textarea class=${way.isPrompt ? '' : 'code'} rows="5" required spellcheck=${false} aria-label=${way.isPrompt ? 'Task' : `Code in ${way.title}`}
          placeholder=${way.example} value=${text} onInput=${(event: Event) => {
            texts.value = {
              ...texts.value,
              [chosen.value]: (event.currentTarget as HTMLTextAreaElement).value,
            };
          }} />
        <div class="bar">
          <button class="primary" disabled=${isRunning}>${isRunning && html`<span class="spinner" />`}Run</button>
          <small>${way.isPrompt ? 'a language model does it in the browser' : html`<code>page</code>, <code>context</code> and <code>browser</code> of Playwright are there`}</small>
        </div>
      </form>
      ${state.value && !isRunning && html`<p class="error" role="alert">${state.value}</p>`}
      <div role="status">${done.value && html`<${Outcome} ...${done.value} />`}</div>
    </section>`;
}

const isResult = (body: unknown): body is CodeResult =>
  typeof body === 'object' && body !== null && 'exitCode' in body && 'stdout' in body;

function Outcome({ result, ms }: { result: CodeResult; ms: number }) {
  const { stdout, stderr, exitCode, killed, truncated, error, output, sessionId } = result;
  const parts = { Answer: output, Result: result.result, Output: stdout, Errors: stderr };
  return html`
    <p class="facts">
      <span class=${exitCode === 0 ? '' : 'bad'}>${killed ? 'killed, because its time was over' : exitCode === 0 ? 'succeeded' : `failed with exit code ${exitCode}`}</span>
      <span>${duration(ms)}</span>
      ${truncated && html`<span>a part of the output is missing</span>`}
      ${sessionId && html`<a href=${`${BASE}/jobs/interact/${sessionId}`}>Watch its browser</a>`}
    </p>
    ${error && html`<p class="error">${error}</p>`}
    ${Object.entries(parts).map(
      ([name, text]) =>
        text &&
        html`<h3>${name}</h3><pre class="code" tabindex="0" dir="auto" aria-label=${name}>${text}</pre>`,
    )}`;
}
