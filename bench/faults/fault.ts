import type { FaultTarget } from './target.ts';

/** Something that is wrong for a while. */
export interface Fault {
  name: string;
  begin(target: FaultTarget): unknown;
  /** Ends what `begin` has begun. */
  end(target: FaultTarget): unknown;
}
