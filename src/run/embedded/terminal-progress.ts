import { every } from '../../system/every.ts';

const FIRST_OUTPUT_MS = 2000;
const OUTPUT_INTERVAL_MS = 5000;
const REDRAW_INTERVAL_MS = 200;

/** A running step; `detail` is shown beside its name. */
export interface ProgressStep {
  detail(text: string): void;
}

/** A line that is rendered again each time it is shown. */
interface LiveLine {
  /** Erases the line until it is drawn again, so that other output can be written. */
  hide(): void;
}

/** Reports progress on stderr, because stdout is for results. */
export interface Progress {
  /** Prints a permanent line. */
  note(text: string): void;
  /** Runs work under a name. Its progress is shown only when it takes longer than two seconds. */
  step<T>(name: string, work: (step: ProgressStep) => Promise<T>): Promise<T>;
  /**
   * Runs work with a live line, which a terminal shows from the start.
   * @param text renders the line; it receives the terminal's width, or `undefined` where stderr is no
   * terminal
   */
  live<T>(text: (columns: number | undefined) => string, work: (line: LiveLine) => Promise<T>): Promise<T>;
}

interface ActiveLine {
  text(columns: number | undefined): string;
  /** When the line is first shown. */
  firstAt: number;
  writtenAt: number;
}

/** Progress on a terminal as one line that is redrawn, elsewhere as a line every few seconds. */
export class TerminalProgress implements Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #isTerminal: boolean;
  readonly #running = new Set<ActiveLine>();
  #isDrawn = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
    this.#isTerminal = stream.isTTY === true;
  }

  /** An arrow function, because callers pass it on without its object. */
  readonly note = (text: string): void => {
    this.#erase();
    this.#stream.write(`${text}\n`);
  };

  step<T>(name: string, work: (step: ProgressStep) => Promise<T>): Promise<T> {
    const startedAt = Date.now();
    const seconds = () => Math.round((Date.now() - startedAt) / 1000);
    let detail = '';
    const text = () => `${name} … ${seconds()} s${detail && `, ${detail}`}`;
    return this.#show({ text, firstAt: startedAt + FIRST_OUTPUT_MS, writtenAt: 0 }, async () => {
      const result = await work({
        detail: (now) => {
          detail = now;
        },
      });
      if (Date.now() - startedAt >= FIRST_OUTPUT_MS) this.note(`${name}: done in ${seconds()} s`);
      return result;
    });
  }

  live<T>(text: (columns: number | undefined) => string, work: (line: LiveLine) => Promise<T>): Promise<T> {
    const firstAt = Date.now() + (this.#isTerminal ? 0 : FIRST_OUTPUT_MS);
    return this.#show({ text, firstAt, writtenAt: 0 }, () => work({ hide: () => this.#erase() }));
  }

  /** Shows a line while the work runs. */
  async #show<T>(line: ActiveLine, work: () => Promise<T>): Promise<T> {
    this.#running.add(line);
    const update = () => (this.#isTerminal ? this.#redraw() : this.#writeDueLines());
    this.#timer ??= every(REDRAW_INTERVAL_MS, update).unref();
    try {
      return await work();
    } finally {
      this.#running.delete(line);
      if (!this.#running.size) {
        clearInterval(this.#timer);
        this.#timer = undefined;
        this.#erase();
      }
    }
  }

  #redraw(): void {
    const due = [...this.#running].filter(({ firstAt }) => Date.now() >= firstAt);
    this.#erase();
    if (!due.length) return;
    const columns = Math.max(20, (this.#stream.columns ?? 80) - 1);
    const texts = due.map((each) => each.text(columns));
    this.#stream.write(texts.join(' · ').slice(0, columns));
    this.#isDrawn = true;
  }

  #erase(): void {
    if (this.#isDrawn) this.#stream.write('\r\x1b[2K');
    this.#isDrawn = false;
  }

  #writeDueLines(): void {
    for (const each of this.#running) {
      if (Date.now() < (each.writtenAt ? each.writtenAt + OUTPUT_INTERVAL_MS : each.firstAt)) continue;
      each.writtenAt = Date.now();
      this.#stream.write(`${each.text(undefined)}\n`);
    }
  }
}
