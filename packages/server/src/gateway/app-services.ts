import type { LogicBlocks, Runs } from '../automation/port.ts';
import type { ConfigReader } from '../config/port.ts';
import type { DecisionLog } from '../iam/port.ts';
import type { AppMails, AppSelf, AppSessions, AppSignIn, Invitations, Workspaces } from '../identity/port.ts';
import type { Idempotency, LargeRemovals, RecordRuntime } from '../records/port.ts';
import type { Environment } from '../tenancy/port.ts';

/** What the handlers of the app gateway work with. */
export interface AppServices {
  readonly runtime: RecordRuntime;
  readonly removals: LargeRemovals;
  readonly idempotency: Idempotency;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly decisions: DecisionLog;
  readonly sessions: AppSessions;
  readonly signIn: AppSignIn;
  readonly workspaces: Workspaces;
  readonly invitations: Invitations;
  readonly self: AppSelf;
  readonly mails: AppMails;
  readonly logicBlocks: LogicBlocks;
  readonly runs: Pick<Runs, 'own'>;
}
