import type { WebSocket } from 'ws';
import type { CodeResult, Language } from '../schemas/session.ts';
import type { CodeCallOutcome, SessionMetrics } from './session-metrics.ts';
import type { SessionUsage } from './session-usage.ts';

/** The metrics that sessions are counted in together. */
type CountedMetrics = Pick<
  SessionMetrics,
  'callSeconds' | 'promptSteps' | 'protocolMessages' | 'protocolBytes' | 'viewers'
>;

/** Counts who uses one session and for what, and remembers when it was last active. */
export class SessionCounters {
  readonly #metrics: CountedMetrics;
  readonly #runningCalls = new Set<Promise<unknown>>();
  #calls = 0;
  #prompts = 0;
  readonly #promptSteps: SessionUsage['promptSteps'] = {};
  /** Protocol clients without those of code. */
  #userClients = 0;
  #viewers = 0;
  #mostViewers = 0;
  #lastActivityAt = Date.now();

  constructor(metrics: CountedMetrics) {
    this.#metrics = metrics;
  }

  /** When the session was last active, in milliseconds since 1970. It is active while a call runs. */
  get lastActivityAt(): number {
    return this.#runningCalls.size > 0 ? Date.now() : this.#lastActivityAt;
  }

  /** Whether a client of the user is connected, or a call runs. */
  get hasClients(): boolean {
    return this.#userClients > 0 || this.#runningCalls.size > 0;
  }

  /**
   * How the session is used. @param clients the protocol clients that are connected, those of code included
   */
  usage(clients: number): SessionUsage {
    return {
      calls: this.#calls,
      prompts: this.#prompts,
      promptSteps: { ...this.#promptSteps },
      clients,
      viewers: this.#viewers,
      mostViewers: this.#mostViewers,
    };
  }

  /** Records that the session is active now. */
  touch(): void {
    this.#lastActivityAt = Date.now();
  }

  /** Counts a client of the user until it disconnects. */
  addClient(socket: WebSocket): void {
    this.#userClients++;
    socket.once('close', () => this.#userClients--);
  }

  /** Counts a message of a client, which is an activity. @param bytes its size */
  addReceived(bytes: number): void {
    this.#metrics.protocolMessages.inc();
    this.#metrics.protocolBytes.inc({ direction: 'received' }, bytes);
    this.touch();
  }

  /** Counts the bytes of a message to a client. */
  addSent(bytes: number): void {
    this.#metrics.protocolBytes.inc({ direction: 'sent' }, bytes);
  }

  /** Records how many viewers there are now. */
  setViewers(count: number): void {
    this.#metrics.viewers.inc(count - this.#viewers);
    this.#viewers = count;
    this.#mostViewers = Math.max(this.#mostViewers, count);
  }

  /** Counts the use of a tool by a prompt. */
  addPromptStep(tool: keyof SessionUsage['promptSteps']): void {
    this.#promptSteps[tool] = (this.#promptSteps[tool] ?? 0) + 1;
    this.#metrics.promptSteps.inc({ tool });
  }

  /** Counts a prompt, and measures it as {@link runCall} does. */
  runPrompt<Result extends CodeResult>(call: () => Promise<Result>): Promise<Result> {
    this.#prompts++;
    return this.runCall('prompt', call);
  }

  /** Counts and measures a call, during which the session is active. @param label of its metric */
  async runCall<Result extends CodeResult>(
    label: Language | 'prompt',
    call: () => Promise<Result>,
    isOutOfMemory = () => false,
  ): Promise<Result> {
    const stopTimer = this.#metrics.callSeconds.startTimer({ language: label });
    let outcome: CodeCallOutcome = 'refused';
    this.#calls++;
    const running = call();
    this.#runningCalls.add(running);
    try {
      const result = await running;
      outcome = isOutOfMemory() ? 'memory' : outcomeOf(result);
      return result;
    } finally {
      this.#runningCalls.delete(running);
      this.touch();
      stopTimer({ outcome });
    }
  }

  /** Resolves when the calls that run now have ended. */
  async callsEnded(): Promise<void> {
    await Promise.allSettled(this.#runningCalls);
  }
}

const outcomeOf = ({ killed, exitCode }: CodeResult): CodeCallOutcome =>
  killed ? 'killed' : exitCode === 0 ? 'succeeded' : 'failed';
