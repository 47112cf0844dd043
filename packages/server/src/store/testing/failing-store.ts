/** Stores whose calls fail at a chosen place. Only tests may use them. */
import { type Intercept, interceptOpened, interceptStore, type StoreCall } from '../intercepted-store.ts';
import { type OpenedStore, OutcomeUnknown, type Store, Unavailable } from '../port.ts';

/** Whether a call fails before it takes effect, or after it did. */
export type Moment = 'before' | 'after';

interface Failure {
  readonly when: Moment;
  readonly error: Error;
}

/** The way a call is to fail; undefined where it is not. */
type Plan = (operation: StoreCall) => Failure | undefined;

function failing(plan: Plan): Intercept {
  return async (operation, call) => {
    const failure = plan(operation);
    if (failure?.when === 'before') throw failure.error;
    const answer = await call();
    if (failure !== undefined) throw failure.error;
    return answer;
  };
}

export class Crash extends Error {}

/** A store whose caller dies: it works for so many calls, one more fails before or after it takes effect, and none takes effect after that. */
export function crashing(store: Store, callsLeft: number, when: Moment): Store {
  let left = callsLeft;
  const plan: Plan = () => {
    left -= 1;
    return left >= 0 ? undefined : { when: left === -1 ? when : 'before', error: new Crash() };
  };
  return interceptStore(store, failing(plan));
}

/** Stores that fail for a moment, as a disk or a connection does: of all their calls one, chosen by its number. */
export class PassingFault {
  #planted: { left: number; readonly when: Moment } | undefined;

  /** The call after `left` others fails. Of those that fail after they took effect only commits count. */
  plant(left: number, when: Moment): void {
    this.#planted = { left, when };
  }

  /** Whether the fault still waits for its call. */
  get isWaiting(): boolean {
    return this.#planted !== undefined;
  }

  withdraw(): void {
    this.#planted = undefined;
  }

  /** The same store, which fails with the others that were given here. */
  store(opened: OpenedStore): OpenedStore {
    return interceptOpened(opened, failing(this.#next));
  }

  readonly #next: Plan = ({ changes }) => {
    const planted = this.#planted;
    if (planted === undefined || (planted.when === 'after' && changes === undefined)) return undefined;
    planted.left -= 1;
    if (planted.left >= 0) return undefined;
    this.#planted = undefined;
    const { when } = planted;
    return { when, error: when === 'before' ? new Unavailable('planted') : new OutcomeUnknown('planted') };
  };
}
