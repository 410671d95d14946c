/** How long others wait for a task, which may hang with its page. */
const TASK_TIMEOUT_MS = 1_000;
/** Most messages that wait. Further ones are dropped. */
const MAX_WAITING = 500;

/**
 * Runs messages of viewers in their order. They do not wait for each other, but all wait for a task such as
 * pasting: Chromium passes keys and scripts to a page on different ways, so a key that was pressed later
 * could overtake it.
 */
export class MessageOrder {
  /** Messages that wait for the running task; `undefined` while no task runs. */
  #waiting: (() => void)[] | undefined;

  /** Runs a message now, or after the running task. */
  run(message: () => void): void {
    if (!this.#waiting) message();
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(message);
  }

  /** Runs a task, which messages from now on wait for. May only be called by a message that runs. */
  runTask(task: () => Promise<void>): void {
    const waiting: (() => void)[] = [];
    this.#waiting = waiting;
    const proceed = () => {
      if (this.#waiting !== waiting) return;
      clearTimeout(timer);
      this.#waiting = undefined;
      // One of them may start the next task; then those after it wait again.
      for (const message of waiting) this.run(message);
    };
    const timer = setTimeout(proceed, TASK_TIMEOUT_MS);
    // A task fails when its page was closed or left meanwhile; nothing remains to be done then.
    task()
      .catch(() => undefined)
      .finally(proceed);
  }
}
