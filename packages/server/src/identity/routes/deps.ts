import type { ConsoleSite } from '../../api/headers/console-cookie.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { OperatorLog } from '../../audit/operator-log.ts';
import type { LargeRemovals } from '../../records/port.ts';
import type { Identity } from '../open-identity.ts';
import type { AppCaller } from '../sessions/app-sessions.ts';

type AppParts = Identity['app'];
type ManagementParts = Identity['management'];

export interface IdentityRouteDeps extends AppParts, ManagementParts, Pick<Identity, 'origins'> {
  readonly site: ConsoleSite;
  readonly mode: 'development' | 'production';
  /** Undefined where mails leave the platform. */
  readonly inbox: object | undefined;
  readonly operatorLog: OperatorLog;
  readonly removals: LargeRemovals;
  readonly metering: { readonly plans: { of(orgCode: string): Promise<{ readonly name: string }> } };
  /** Whether the caller's policies allow this action on the workspace. */
  readonly mayAct: (caller: AppCaller, request: RequestEnvelope, action: 'updateworkspace') => Promise<boolean>;
}
