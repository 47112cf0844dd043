import { type Clock, timestamp } from '../lib/clock.ts';
import type { Problem } from '../lib/problem.ts';
import type { Scope } from '../store/port.ts';
import { type AuditActor, type Audited, auditEntry, platformAuditEntry } from './audit-entry.ts';

/** What was asked for and refused: nothing came of it, so its entry is a commit of its own. */
export interface RefusalLog {
  /** Recorded before the refusal is answered, so that no answered refusal lacks its entry. */
  tell(refused: Refused): Promise<void>;
}

export interface Refused extends Pick<Audited, 'action' | 'target'> {
  readonly actor: AuditActor;
  readonly requestId: string;
  /** Left out where the platform as a whole was concerned. */
  readonly orgCode?: string;
  readonly problem: Problem;
}

/** @param platform the platform's scope, where the entries of orgs and those of the operator lie. */
export function createRefusalLog(platform: Scope, clock: Clock): RefusalLog {
  return {
    tell: async ({ actor, requestId, orgCode, problem, action, target }) => {
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
