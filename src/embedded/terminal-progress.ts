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
   * @param text renders the line; it receives the terminal's width, or `undefined` where stderr is no terminal
   */
  live<T>(text: (columns: number | undefined) => string, work: (line: LiveLine) => Promise<T>): Promise<T>;
}

interface ActiveLine {
  text(columns: number | undefined): string;
  /** When the line is first shown. */
  firstAt: number;
  saidAt: number;
}

/** @param stream the output; on a terminal one line is redrawn, elsewhere a line is written every few seconds */
export function openProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  const running = new Set<ActiveLine>();
  const isTerminal = stream.isTTY === true;
  let drawn = false;
  let timer: NodeJS.Timeout | undefined;

  const erase = () => {
    if (drawn) stream.write('\r\x1b[2K');
    drawn = false;
  };
  const draw = () => {
    const due = [...running].filter(({ firstAt }) => Date.now() >= firstAt);
    erase();
    if (!due.length) return;
    const columns = Math.max(20, (stream.columns ?? 80) - 1);
    const texts = due.map((each) => each.text(columns));
    stream.write(texts.join(' · ').slice(0, columns));
    drawn = true;
  };
  const say = () => {
    for (const each of running) {
      if (Date.now() < (each.saidAt ? each.saidAt + OUTPUT_INTERVAL_MS : each.firstAt)) continue;
      each.saidAt = Date.now();
      stream.write(`${each.text(undefined)}\n`);
    }
  };
  const note = (text: string) => {
    erase();
    stream.write(`${text}\n`);
  };
  async function show<T>(shown: ActiveLine, work: () => Promise<T>): Promise<T> {
    running.add(shown);
    timer ??= setInterval(isTerminal ? draw : say, REDRAW_INTERVAL_MS).unref();
    try {
      return await work();
    } finally {
      running.delete(shown);
      if (!running.size) {
        clearInterval(timer);
        timer = undefined;
        erase();
      }
    }
  }

  return {
    note,
    step(name, work) {
      const startedAt = Date.now();
      const seconds = () => Math.round((Date.now() - startedAt) / 1000);
      let detail = '';
      const text = () => `${name} … ${seconds()} s${detail && `, ${detail}`}`;
      return show({ text, firstAt: startedAt + FIRST_OUTPUT_MS, saidAt: 0 }, async () => {
        const result = await work({
          detail: (now) => {
            detail = now;
          },
        });
        if (Date.now() - startedAt >= FIRST_OUTPUT_MS) note(`${name}: done in ${seconds()} s`);
        return result;
      });
    },
    live(text, work) {
      const firstAt = Date.now() + (isTerminal ? 0 : FIRST_OUTPUT_MS);
      return show({ text, firstAt, saidAt: 0 }, () => work({ hide: erase }));
    },
  };
}
