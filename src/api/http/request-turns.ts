/** The requests of one owner. */
interface Turns {
  running: number;
  /** Those that wait, in the order of their arrival. */
  waiting: (() => void)[];
}

/**
 * Lets each owner have a few requests at once in that part of their handling which takes statements of the
 * database and little else. Thousands that come at the same moment would otherwise be before those of all
 * others in the line for its connections.
 */
export class RequestTurns {
  readonly #most: number;
  readonly #owners = new Map<string, Turns>();

  /** @param most how many requests of an owner run at once; further ones wait */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Runs a part of a request when it is its turn among those of its owner.
   * @param owner an API key, a team, or who else sends requests
   */
  async run<Result>(owner: string, task: () => Promise<Result>): Promise<Result> {
    const turns = this.#owners.get(owner) ?? { running: 0, waiting: [] };
    this.#owners.set(owner, turns);
    if (turns.running < this.#most) turns.running++;
    else await new Promise<void>((resolve) => turns.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = turns.waiting.shift();
      if (next) next();
      else if (--turns.running === 0) this.#owners.delete(owner);
    }
  }
}
