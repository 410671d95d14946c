import type { Attacker } from './attacker.ts';

/** A way in which one team uses the API as badly as its limits allow. */
export interface Attack {
  /** Its name on the command line and in the table. */
  name: string;
  /** The resource that the attack takes up, in a few words. */
  aim: string;
  /** Whether it needs a service with `WINNOW_AUTH=off`. */
  needsOpenService?: true;
  /** Attacks until the attacker is over, with at least one round, and ends what it has started. */
  run(attacker: Attacker): Promise<void>;
}
