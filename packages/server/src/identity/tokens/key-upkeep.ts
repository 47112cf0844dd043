import { platformActor } from '../../audit/audit-entry.ts';
import type { OperatorLog } from '../../audit/operator-log.ts';
import { type Repeated, repeat } from '../../lib/scheduling/repeat.ts';
import type { LiveSigningKeys } from './signing-keys.ts';

/** How soon a node learns what another one changed of the keys. */
const turnMilliseconds = 10_000;

export interface KeyUpkeepDeps {
  readonly keys: Pick<LiveSigningKeys, 'tend'>;
  readonly operatorLog: OperatorLog;
  readonly onError: (error: unknown) => void;
}

/** Tends the keys in the background, so that no request ever waits for it. A turn that fails is tried again by the next. */
export function startKeyUpkeep({ keys, operatorLog, onError }: KeyUpkeepDeps): Repeated {
  const tell = (kid: string): Promise<void> =>
    operatorLog.tell('', { action: 'signing_key.made', target: { kind: 'signing_key', id: kid } }, platformActor);
  return repeat(() => keys.tend(tell), { milliseconds: turnMilliseconds, onError });
}
