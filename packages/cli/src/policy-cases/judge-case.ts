/** Compares what a simulation answered with what a case expects. */
import type { PolicyCase } from './read-cases.ts';

/** Of the reply of `POST /acl/simulate`. */
export interface Simulated {
  readonly user?: { readonly status: string };
  readonly decision: 'allowed' | 'explicit_deny' | 'implicit_deny' | 'undecided';
  readonly reason: string;
  readonly matched: readonly SimulatedStatement[];
  readonly needs?: readonly string[];
}

export interface SimulatedStatement {
  readonly policy: string;
  readonly group?: string;
  readonly index: number;
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly matched: boolean;
}

export interface Outcome {
  readonly place: string;
  readonly name: string;
  readonly passed: boolean;
  readonly expected: string;
  readonly got: string;
  /** The sentence of the platform, or what went wrong. */
  readonly why: string;
  /** The statement that decided; undefined where none did. */
  readonly statement: SimulatedStatement | undefined;
}

export function judgeCase(policyCase: PolicyCase, reply: Simulated): Outcome {
  const { place, name } = policyCase;
  const statement = decidingStatement(reply);
  const got = gotOf(reply);
  const passed =
    got.verdict === policyCase.expect &&
    (policyCase.reason === undefined || policyCase.reason === reply.decision) &&
    (policyCase.sid === undefined || policyCase.sid === statement?.Sid);
  return {
    place,
    name,
    passed,
    expected: described(policyCase.expect, policyCase.reason, policyCase.sid),
    got: described(got.verdict, policyCase.reason && denialOf(reply), policyCase.sid && (statement?.Sid ?? 'none')),
    why: got.why,
    statement,
  };
}

/** A case that could not be asked at all fails. */
export function failedCase(policyCase: PolicyCase, why: string): Outcome {
  const { place, name } = policyCase;
  const expected = described(policyCase.expect, policyCase.reason, policyCase.sid);
  return { place, name, passed: false, expected, got: 'an error', why, statement: undefined };
}

function gotOf({ user, decision, reason, needs }: Simulated): { readonly verdict: string; readonly why: string } {
  if (user !== undefined && user.status !== 'active')
    return { verdict: 'deny', why: `the member is \`${user.status}\` and gets no token` };
  if (decision === 'undecided')
    return { verdict: 'undecided', why: `the case must also give: ${(needs ?? []).map(giver).join(', ')}` };
  return { verdict: decision === 'allowed' ? 'allow' : 'deny', why: reason };
}

/** Where a case says what a simulation needs. */
function giver(need: string): string {
  return need === 'body' || need === 'after' ? '`context.request.body`' : '`record`';
}

function denialOf({ decision }: Simulated): string | undefined {
  return decision === 'allowed' || decision === 'undecided' ? undefined : decision;
}

function described(verdict: string, reason: string | undefined, sid: string | undefined): string {
  const details = [reason, sid === undefined ? undefined : `Sid ${sid}`].filter((detail) => detail !== undefined);
  return details.length === 0 ? verdict : `${verdict} (${details.join(', ')})`;
}

/** The first of the statements that match and have the effect of the decision. */
function decidingStatement({ decision, matched }: Simulated): SimulatedStatement | undefined {
  if (decision !== 'allowed' && decision !== 'explicit_deny') return undefined;
  const effect = decision === 'allowed' ? 'Allow' : 'Deny';
  return matched.find((statement) => statement.matched && statement.Effect === effect);
}
