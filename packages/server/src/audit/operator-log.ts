import { type Clock, timestamp } from '../lib/clock.ts';
import type { Problem } from '../lib/problem.ts';
import type { Scope } from '../store/port.ts';
import { type AuditActor, type Audited, auditEntry, platformAuditEntry } from './audit-entry.ts';

/** The actions on the platform as a whole: the operator's, unless another actor is named. */
export interface OperatorLog {
  /**
   * Recorded before the action, because the action is outside of the stores and in no commit, and no action may lack
   * its entry. An action that then fails has an entry as if it were done, and another one when it is repeated.
   */
  record(requestId: string, audited: Audited, actor?: AuditActor): Promise<void>;
}

/** @param platform the platform's scope; beside the entries of the orgs it holds these. */
export function createOperatorLog(platform: Scope, clock: Clock): OperatorLog {
  return {
    record: async (request_id, audited, actor = operatorActor) => {
      const auditContext = { at: timestamp(clock.now()), actor, request_id };
      await platform.commit([auditEntry(auditContext, audited)]);
    },
  };
}

/** There is one operator key, so there is one operator. */
export const operatorActor = { kind: 'operator', id: 'operator' } as const;

/** Requests that were refused: a refusal changes nothing, so its entry is a commit of its own. */
export interface RefusalLog {
  /** Recorded before the refusal is answered, so that no answered refusal lacks its entry. */
  record(refused: Refused): Promise<void>;
}

interface Refused extends Pick<Audited, 'action' | 'target'> {
  readonly actor: AuditActor;
  readonly requestId: string;
  /** Left out where the platform as a whole was concerned. */
  readonly orgCode?: string;
  readonly problem: Problem;
}

/** @param platform the platform's scope, where the entries of orgs and those of the operator lie. */
export function createRefusalLog(platform: Scope, clock: Clock): RefusalLog {
  return {
    record: async ({ actor, requestId, orgCode, problem, action, target }) => {
      const auditContext = { at: timestamp(clock.now()), actor, request_id: requestId };
      const entry = { action, ...(target === undefined ? {} : { target }), detail: reasonOf(problem) };
      const logEntry =
        orgCode === undefined ? auditEntry(auditContext, entry) : platformAuditEntry(orgCode, auditContext, entry);
      await platform.commit([logEntry]);
    },
  };
}

const reasonCharactersMax = 300;

/** The sentence too, but where it may repeat what the caller sent: an entry holds no value of a field. */
function reasonOf({ code, status, message }: Problem): Readonly<Record<string, string>> {
  return status === 400 ? { code } : { code, reason: message.slice(0, reasonCharactersMax).toWellFormed() };
}
