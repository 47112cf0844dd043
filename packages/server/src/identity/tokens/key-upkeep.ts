import { platformActor } from '../../audit/audit-entry.ts';
import type { OperatorLog } from '../../audit/operator-log.ts';
import type { LiveSigningKeys } from './signing-keys.ts';

/** How soon a node learns what another one changed of the keys. */
const turnMilliseconds = 10_000;

export interface KeyUpkeep {
  close(): Promise<void>;
}

export interface KeyUpkeepDeps {
  readonly keys: Pick<LiveSigningKeys, 'tend'>;
  readonly operatorLog: OperatorLog;
  readonly onError: (error: unknown) => void;
}

/** Tends the keys in the background, so that no request ever waits for it. A turn that fails is tried again by the next. */
export function startKeyUpkeep({ keys, operatorLog, onError }: KeyUpkeepDeps): KeyUpkeep {
  const tell = (kid: string): Promise<void> =>
    operatorLog.tell('', { action: 'signing_key.made', target: { kind: 'signing_key', id: kid } }, platformActor);
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= keys
      .tend(tell)
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  }, turnMilliseconds);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
