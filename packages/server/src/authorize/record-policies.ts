import type { Ruling } from '../access/port.ts';
import { notFound, type Problem } from '../lib/problem.ts';
import type { MemberFinder, WhereBounds } from '../lib/where-bounds.ts';
import {
  bothPolicies,
  type NamedPolicyRequest,
  type RecordData,
  type RecordGrant,
  type RecordPolicy,
  type RecordStates,
} from '../records/port.ts';
import type { CompiledEntity } from '../schema/port.ts';
import { type RecordRequest, requestAlone } from './authorization-request.ts';
import { type Authorizer, type Decision, denialOf } from './authorizer.ts';

/** The policy for the records that a request is about; undefined allows everything with all of them. */
export function recordPolicyFor(authorizer: Authorizer, request: RecordRequest): RecordPolicy | undefined {
  const decision = authorizer.decide(request);
  switch (request.verb) {
    case 'update':
      return policyOfUpdate(authorizer, request, decision);
    case 'list':
    case 'count':
      return bothPolicies(recordPolicyOf(decision), policyLeftByGet(authorizer, request));
    default:
      return recordPolicyOf(decision);
  }
}

/** The same of a request of its own; of a `get` without an id, as one for each record. */
export function recordPolicyAlone(
  authorizer: Authorizer,
  alone: NamedPolicyRequest,
  entity: CompiledEntity | undefined,
): RecordPolicy | undefined {
  const request = requestAlone(alone, entity);
  if (alone.verb !== 'get' || alone.id !== undefined) return recordPolicyFor(authorizer, request);
  return policyOfEach(authorizer.plain.decideEach(request));
}

function policyOfUpdate(
  { aside }: Authorizer,
  { entityName, about, params }: RecordRequest,
  decision: Decision,
): RecordPolicy | undefined {
  const policyToGet = (id: string | undefined): RecordPolicy | undefined =>
    recordPolicyAlone(aside, { verb: 'get', entityName, id }, about?.entity);
  if (isWhole(decision.ruling) && policyToGet(params.id) === undefined) return undefined;
  return new DecidedPolicy(decision, (record) => {
    const policy = policyToGet(record.id);
    return policy === undefined ? { fields: undefined } : policy.judge(record);
  });
}

/** A list hides records that a `get` by id would deny. */
function policyLeftByGet({ plain }: Authorizer, { entityName, about }: RecordRequest): RecordPolicy | undefined {
  if (!plain.access.mayDeny(`get${entityName}`)) return undefined;
  return policyOfEach(plain.denialsOfEach(requestAlone({ verb: 'get', entityName, id: '' }, about?.entity)));
}

/** Whether it allows everything with every record. */
export function isWhole({ outcome, fields }: Ruling): boolean {
  return outcome === 'allowed' && fields === undefined;
}

/** The policy that a decision leaves for the records that a request is about. */
export function recordPolicyOf(decision: Decision): RecordPolicy | undefined {
  return isWhole(decision.ruling) ? undefined : new DecidedPolicy(decision);
}

function policyOfEach(decision: Decision): RecordPolicy | undefined {
  return isWhole(decision.ruling) ? undefined : new EachDecidedPolicy(decision);
}

/**
 * Results that take long with many statements, and that most calls never need, are found on first use. The accessors
 * are in the class: of a literal with accessors, V8 makes a shape for each object, which outlives the call.
 */
class DecidedPolicy implements RecordPolicy {
  readonly isNone: boolean;
  readonly isEvery: boolean;
  readonly readable: RecordPolicy['readable'];
  protected readonly decision: Decision;
  private madeSureFields: CompiledValue<RecordPolicy['sureFields']> | undefined;
  private madePossibleFields: CompiledValue<RecordPolicy['possibleFields']> | undefined;
  private madeEqualities: CompiledValue<RecordPolicy['equalities']> | undefined;

  constructor(decision: Decision, readable?: RecordPolicy['readable']) {
    const { outcome } = decision.ruling;
    this.decision = decision;
    this.isNone = outcome !== 'allowed' && outcome !== 'undecided';
    this.isEvery = outcome === 'allowed';
    this.readable = readable;
  }

  judge(record: RecordData, states?: RecordStates): RecordGrant | undefined {
    return grantOf(this.decision.evaluate(record, states));
  }

  reads(): readonly string[] | undefined {
    return this.decision.ruling.recordFields;
  }

  bounds(find: MemberFinder): WhereBounds {
    return this.decision.ruling.bounds(find);
  }

  steps(): number {
    return this.decision.ruling.steps;
  }

  get sureFields(): RecordPolicy['sureFields'] {
    this.madeSureFields ??= { value: this.decision.ruling.sureFields };
    return this.madeSureFields.value;
  }

  get possibleFields(): RecordPolicy['possibleFields'] {
    this.madePossibleFields ??= { value: this.decision.ruling.possibleFields };
    return this.madePossibleFields.value;
  }

  get equalities(): RecordPolicy['equalities'] {
    this.madeEqualities ??= { value: this.decision.ruling.equalities };
    return this.madeEqualities.value;
  }

  missing(record: RecordData, states?: RecordStates): Problem {
    this.decision.refuse({ record, states });
    return notFound();
  }

  denied(...refused: Parameters<RecordPolicy['denied']>): Problem {
    return denialOf(this.decision, ...refused);
  }
}

class EachDecidedPolicy extends DecidedPolicy {
  override readonly isNone = false;

  override judge(record: RecordData): RecordGrant | undefined {
    return grantOf(this.decision.ruling.evaluate(record, record.id));
  }

  /** Its id decides too. */
  override reads(): undefined {
    return undefined;
  }
}

interface CompiledValue<Value> {
  readonly value: Value;
}

function grantOf(judgement: ReturnType<Ruling['evaluate']>): RecordGrant | undefined {
  return judgement.outcome === 'allowed' ? judgement : undefined;
}
