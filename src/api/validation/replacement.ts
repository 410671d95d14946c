/** A name that a request may not have at some place, and what to write instead. */
export type Replacement = {
  names: readonly string[];
  /** The option that the place must know for the advice to fit; without it, the advice fits everywhere. */
  beside?: string;
} & (
  | {
      /** What to do, as a sentence; made from the value of the key. */
      advice: string | ((value: unknown) => string);
    }
  | {
      /** The option that has the same meaning. */
      option: string;
      /** What its value is, as a clause. */
      form?: string;
    }
);
