const FIRST_SIGN_MS = 2000;
const NEXT_SIGN_MS = 5000;
const REDRAW_MS = 200;

/** A step that runs; `detail` is shown beside its name while it lasts. */
export interface Step {
  detail(text: string): void;
}

/** Tells a person at stderr what happens, so that stdout is left to results. */
export interface Progress {
  /** A line that stays. */
  note(text: string): void;
  /** Runs work under a name: nothing is shown when it is quick, signs of life when it lasts longer than two seconds. */
  step<T>(name: string, work: (step: Step) => Promise<T>): Promise<T>;
}

interface Running {
  name: string;
  detail: string;
  startedAt: number;
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
    const long = [...running].filter((step) => Date.now() - step.startedAt >= FIRST_SIGN_MS);
    erase();
    if (!long.length) return;
    stream.write(
      long
        .map(describe)
        .join(' · ')
        .slice(0, Math.max(20, (stream.columns ?? 80) - 1)),
    );
    drawn = true;
  };
  const say = () => {
    for (const step of running) {
      const due = step.saidAt ? step.saidAt + NEXT_SIGN_MS : step.startedAt + FIRST_SIGN_MS;
      if (Date.now() < due) continue;
      step.saidAt = Date.now();
      stream.write(`${describe(step)}\n`);
    }
  };

  const note = (text: string) => {
    erase();
    stream.write(`${text}\n`);
  };
  return {
    note,
    async step(name, work) {
      const step: Running = { name, detail: '', startedAt: Date.now(), saidAt: 0 };
      running.add(step);
      timer ??= setInterval(isTerminal ? draw : say, REDRAW_MS).unref();
      try {
        const result = await work({ detail: (text) => Object.assign(step, { detail: text }) });
        if (Date.now() - step.startedAt >= FIRST_SIGN_MS) note(`${name}: done in ${secondsSince(step)} s`);
        return result;
      } finally {
        running.delete(step);
        if (!running.size) {
          clearInterval(timer);
          timer = undefined;
          erase();
        }
      }
    },
  };
}

const secondsSince = (step: Running) => Math.round((Date.now() - step.startedAt) / 1000);
const describe = (step: Running) =>
  `${step.name} … ${secondsSince(step)} s${step.detail && `, ${step.detail}`}`;
