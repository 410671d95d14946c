const FIRST_SIGN_MS = 2000;
const NEXT_SIGN_MS = 5000;
const REDRAW_MS = 200;

/** A step that runs; `detail` is shown beside its name while it lasts. */
export interface Step {
  detail(text: string): void;
}

/** A line that is made anew each time it is shown. */
interface LiveLine {
  /** Takes it off the terminal until it is drawn again, so that something else can be written there. */
  hide(): void;
}

/** Tells a person at stderr what happens, so that stdout is left to results. */
export interface Progress {
  /** A line that stays. */
  note(text: string): void;
  /** Runs work under a name: nothing is shown when it is quick, signs of life when it lasts longer than two seconds. */
  step<T>(name: string, work: (step: Step) => Promise<T>): Promise<T>;
  /**
   * Runs work beside a line of its own, shown from the start on a terminal.
   * @param text what the line says now; it is given the terminal's width, `undefined` where there is no terminal
   */
  live<T>(text: (columns: number | undefined) => string, work: (line: LiveLine) => Promise<T>): Promise<T>;
}

interface Running {
  text(columns: number | undefined): string;
  /** When it is shown first. */
  firstAt: number;
  saidAt: number;
}

/** @param stream where to tell; on a terminal one line is redrawn, elsewhere lines are written every few seconds */
export function openProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  const running = new Set<Running>();
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
      if (Date.now() < (each.saidAt ? each.saidAt + NEXT_SIGN_MS : each.firstAt)) continue;
      each.saidAt = Date.now();
      stream.write(`${each.text(undefined)}\n`);
    }
  };
  const note = (text: string) => {
    erase();
    stream.write(`${text}\n`);
  };
  async function show<T>(shown: Running, work: () => Promise<T>): Promise<T> {
    running.add(shown);
    timer ??= setInterval(isTerminal ? draw : say, REDRAW_MS).unref();
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
      return show({ text, firstAt: startedAt + FIRST_SIGN_MS, saidAt: 0 }, async () => {
        const result = await work({
          detail: (now) => {
            detail = now;
          },
        });
        if (Date.now() - startedAt >= FIRST_SIGN_MS) note(`${name}: done in ${seconds()} s`);
        return result;
      });
    },
    live(text, work) {
      const firstAt = Date.now() + (isTerminal ? 0 : FIRST_SIGN_MS);
      return show({ text, firstAt, saidAt: 0 }, () => work({ hide: erase }));
    },
  };
}
