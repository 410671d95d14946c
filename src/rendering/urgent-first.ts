import { type PiscinaTask, queueOptionsSymbol, type TaskQueue } from 'piscina';

/** Marks a task whose result a client is waiting for. */
export const URGENT = { urgent: true };

/** A queue that returns tasks in the order of arrival, but urgent ones before all others. */
export class UrgentFirst implements TaskQueue {
  readonly #urgent: PiscinaTask[] = [];
  readonly #others: PiscinaTask[] = [];

  get size(): number {
    return this.#urgent.length + this.#others.length;
  }

  push(task: PiscinaTask): void {
    this.#rowOf(task).push(task);
  }

  shift(): PiscinaTask | null {
    return this.#urgent.shift() ?? this.#others.shift() ?? null;
  }

  remove(task: PiscinaTask): void {
    const row = this.#rowOf(task);
    const place = row.indexOf(task);
    if (place >= 0) row.splice(place, 1);
  }

  #rowOf(task: PiscinaTask): PiscinaTask[] {
    return task[queueOptionsSymbol] === URGENT ? this.#urgent : this.#others;
  }
}
