import type { MailOut } from '../mail/mailer.ts';
import type { RecordRuntime } from '../records/port.ts';
import type { Change } from '../store/port.ts';
import type { ChainHeader } from './chain-header.ts';
import type { RunCallers } from './runs/run-caller.ts';
import type { RunAsk } from './runs/start-run.ts';

/** What deliveries, schedules and hooks need of what is opened after them. */
export interface AutomationWork {
  readonly runtime: RecordRuntime;
  readonly callers: RunCallers;
  /**
   * Stores a run and has it taken up. @param along what else is in the commit.
   * @throws Problem `not_found`, `conflict`, `block_failed`, `rate_limited`.
   */
  start(ask: RunAsk, along?: readonly Change[]): Promise<{ readonly id: string; readonly isNew: boolean }>;
  readonly chain: ChainHeader;
  /** Undefined where the platform sends no mail. */
  readonly mail: MailOut | undefined;
}
