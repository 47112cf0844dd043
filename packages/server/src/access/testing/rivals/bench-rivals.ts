/** The same statements in four engines, as each of them is meant to be used. */
import { createMongoAbility, type MongoAbility, subject } from '@casl/ability';
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { newEnforcer, newModelFromString } from 'casbin';
import type { AccessContext } from '../../context/context.ts';
import { compileAll } from '../agreement.ts';
import { toCedarContext, toCedarPolicy } from './cedar-translation.ts';

export interface BenchStatement {
  readonly effect: 'Allow' | 'Deny';
  /** `*` for all of them. */
  readonly verb: string;
  readonly entity: string;
  readonly resource: string;
  /** The resource for those who know no globs. The platform itself never makes a pattern of a policy. */
  readonly pattern?: RegExp;
  /** Whether the record must be the caller's own, and its `n` below this. */
  readonly below?: number;
}

export interface BenchRequest {
  readonly verb: string;
  readonly entity: string;
  readonly resource: string;
  readonly context: AccessContext;
}

/** Takes one of the requests it was made for, by its place, and says whether it is allowed. */
export type Decider = (place: number) => boolean;

export function ourDecider(statements: readonly BenchStatement[], requests: readonly BenchRequest[]): Decider {
  const access = compileAll([statements.map(toStatement)]);
  const calls = requests.map(
    ({ verb, entity, resource, context }) => [verb + entity, resource, () => context] as const,
  );
  return (place) => access.rule(...at(calls, place)).outcome === 'allowed';
}

export function cedarDecider(statements: readonly BenchStatement[], requests: readonly BenchRequest[]): Decider {
  const policies = statements.map((statement, index) => [`p${index}`, toCedarPolicy(toStatement(statement))] as const);
  const preparsedPolicySetId = `bench ${statements.some(({ below }) => below !== undefined)}`;
  const prepared = preparsePolicySet(preparsedPolicySetId, { staticPolicies: Object.fromEntries(policies) });
  if (prepared.type !== 'success') throw new TypeError(JSON.stringify(prepared));
  const one = (type: string) => ({ type, id: 'one' });
  const calls = requests.map(({ verb, entity, resource, context }) => ({
    ...{ principal: one('User'), action: one('Action'), resource: one('Thing'), entities: [], preparsedPolicySetId },
    context: toCedarContext({ action: verb + entity, resource, context }),
  }));
  return (place) => {
    const answer = statefulIsAuthorized(at(calls, place));
    return answer.type === 'success' && answer.response.decision === 'allow';
  };
}

/** Globs are what CASL lacks: verbs and entities are its own actions and subjects, resources a pattern it matches. */
export function caslDecider(statements: readonly BenchStatement[], requests: readonly BenchRequest[]): Decider {
  const owner = requests[0]?.context.user.id;
  const rules = statements.map(({ effect, verb, entity, pattern, below }) => ({
    action: verb === '*' ? 'manage' : verb,
    subject: entity === '*' ? 'all' : entity,
    inverted: effect === 'Deny',
    ...(pattern === undefined && below === undefined ? {} : { conditions: caslConditions(pattern, owner, below) }),
  }));
  // A later rule wins in CASL, so the Denies come last.
  const ability: MongoAbility = createMongoAbility(rules.toSorted((a, b) => Number(a.inverted) - Number(b.inverted)));
  const calls = requests.map(({ verb, entity, resource, context }) => {
    const thing = subject(entity, { ...context.record, resource });
    return [verb, thing] as const;
  });
  return (place) => ability.can(...at(calls, place));
}

function caslConditions(pattern: RegExp | undefined, owner: unknown, below: number | undefined) {
  const place = pattern === undefined ? {} : { resource: { $regex: pattern } };
  return below === undefined ? place : { ...place, owner, n: { $lt: below } };
}

/** casbin calls a function of ours to match globs: its own know `*` at the end or within a segment only. */
export async function casbinDecider(
  statements: readonly BenchStatement[],
  requests: readonly BenchRequest[],
): Promise<Decider> {
  const hasConditions = statements.some(({ below }) => below !== undefined);
  const enforcer = await newEnforcer(newModelFromString(casbinModel(hasConditions)));
  const patterns = new Map(statements.map(({ resource, pattern }) => [resource, pattern]));
  enforcer.addFunction('fits', (text: string, glob: string) => patterns.get(glob)?.test(text) ?? true);
  await enforcer.addPolicies(
    statements.map(({ effect, verb, entity, resource, below }) => [
      ...[verb, entity, resource, `r.owner == r.user && r.n < ${below ?? 0}`, effect.toLowerCase()],
    ]),
  );
  const calls = requests.map(({ verb, entity, resource, context: { record, user } }) => [
    ...[verb, entity, resource, record?.owner, record?.n, user.id],
  ]);
  return (place) => enforcer.enforceSync(...at(calls, place));
}

function casbinModel(hasConditions: boolean): string {
  return `
[request_definition]
r = verb, entity, res, owner, n, user
[policy_definition]
p = verb, entity, res, rule, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = (p.verb == '*' || p.verb == r.verb) && (p.entity == '*' || p.entity == r.entity) && fits(r.res, p.res)${hasConditions ? ' && eval(p.rule)' : ''}
`;
}

function toStatement({ effect, verb, entity, resource, below }: BenchStatement) {
  const own = { StringEquals: { 'record.owner': `$\u007buser.id}` } };
  return {
    Effect: effect,
    Action: [verb === '*' && entity === '*' ? '*' : verb + entity],
    Resource: [resource],
    Condition: below === undefined ? {} : { ...own, NumericLessThan: { 'record.n': String(below) } },
  };
}

function at<Item>(items: readonly Item[], place: number): Item {
  return items[place] as Item;
}
