import type { AttachedPolicy } from '../compiled-statement.ts';
import type { AccessContext } from '../context/context.ts';
import { type CompiledAccess, compilePolicies } from '../decide.ts';
import { verbs } from '../verbs.ts';
import { Dice } from './dice.ts';
import { entities, ids, type Palette, randomContext, randomPalette } from './random-context.ts';
import { fieldNames, randomPolicies } from './random-policies.ts';
import { type ConditionEntry, entryHolds } from './reference-condition.ts';
import { readingsOf } from './reference-context.ts';
import {
  type ReferenceRequest,
  type ReferenceStatement,
  reaches,
  readByReference,
  ruleByReference,
} from './reference-evaluator.ts';
import { isTwofold } from './reference-pattern.ts';

/** Random policies, and the palette that requests about them draw from. */
export interface PolicySample {
  readonly palette: Palette;
  readonly policies: readonly unknown[];
}

/** The number of times each thing came up, by name, in the first request of every world. */
export type Distribution = Map<string, number>;

export interface Disagreement {
  readonly policies: readonly unknown[];
  readonly request: ReferenceRequest;
  readonly difference: string;
}

/** A condition under a key that leads to several members. */
export const ambiguous = 'key in several cases';

/** A variable that leads to several members, in a condition or a resource. */
export const vague = { condition: 'value with a variable in several cases', resource: 'resource with one' } as const;

const requestsPerSample = 5;

/** Compares engine and reference on so many pairs of policies and a request. Stops at the first disagreement. */
export function agree(
  pairs: number,
  seed: number,
  seen: Distribution,
  requestOf: typeof randomRequest = randomRequest,
): Disagreement | undefined {
  const dice = new Dice(seed);
  for (let done = 0; done < pairs; done += requestsPerSample) {
    const sample = randomSample(dice);
    const access = compileAll(sample.policies);
    const statements = readByReference(sample.policies);
    for (let count = 0; count < Math.min(requestsPerSample, pairs - done); count++) {
      const request = requestOf(dice, sample.palette);
      const mismatch = difference(access, statements, request);
      if (mismatch !== undefined) return smallest({ policies: sample.policies, request, difference: mismatch });
      if (count === 0) note(statements, request, seen);
    }
  }
  return undefined;
}

export function describe({ difference, policies, request }: Disagreement): string {
  const { context } = request;
  const queryParameters = Object.fromEntries(context.request.queryParameters);
  const naming = [...(context.naming?.byName ?? [])];
  const shown = { ...request, context: { ...context, naming, request: { ...context.request, queryParameters } } };
  return `${difference}: ${JSON.stringify({ policies, request: shown }, undefined, 2)}`;
}

export function randomSample(dice: Dice): PolicySample {
  const palette = randomPalette(dice);
  return { palette, policies: randomPolicies(dice, palette) };
}

export function randomRequest(dice: Dice, palette: Palette): ReferenceRequest {
  const context = randomContext(dice, palette);
  const verb = dice.pick(verbs);
  const entity = context.request.pathParameters.entity ?? dice.pick(entities);
  const place = dice.pick(['item', 'item', 'update', 'list']);
  const resource = `/${place}/${entity}/${dice.hits(70) ? (context.request.pathParameters.id ?? 'u1') : dice.pick(ids)}`;
  return { action: dice.hits(5) ? (verb + entity).toUpperCase() : verb + entity, resource, context };
}

export function compileAll(policies: readonly unknown[]): CompiledAccess {
  return compilePolicies(policies.map(attach));
}

export function attach(statements: unknown, index = 0): AttachedPolicy {
  return { policyId: `p${index}`, policyName: `policy ${index}`, via: { kind: 'direct' }, statements };
}

/** The disagreement between engine and reference. */
function difference(
  access: CompiledAccess,
  statements: readonly ReferenceStatement[],
  { action, resource, context }: ReferenceRequest,
): string | undefined {
  const broken = statements.filter(({ isBroken }) => isBroken).length;
  if (access.brokenStatements !== broken) return `${broken} broken by reference, ${access.brokenStatements} by engine`;
  const expected = ruleByReference(statements, { action, resource, context });
  const ruling = access.rule(action, resource, () => context);
  if (ruling.outcome !== expected.outcome) return `${expected.outcome} by reference, ${ruling.outcome} by engine`;
  const explained = access.explain(action, resource, () => context).decision;
  if (explained !== expected.outcome) return `${expected.outcome} by reference, ${explained} as explained`;
  if (expected.outcome !== 'allowed') return undefined;
  const field = fieldNames.find((name) => expected.mayUse(name) !== (ruling.fields?.has(name) ?? true));
  return field === undefined
    ? undefined
    : `field ${field} is ${expected.mayUse(field) ? '' : 'not '}there by reference`;
}

/** Leaves out whatever can go without the disagreement going too. */
function smallest(found: Disagreement): Disagreement {
  for (const smaller of reductions(found)) {
    const mismatch = difference(compileAll(smaller.policies), readByReference(smaller.policies), smaller.request);
    if (mismatch !== undefined) return smallest({ ...smaller, difference: mismatch });
  }
  return found;
}

function* reductions({ policies, request, difference }: Disagreement): Generator<Disagreement> {
  for (const smaller of without(policies)) {
    if (Array.isArray(smaller)) yield { policies: smaller, request, difference };
  }
  for (const part of ['record', 'jwt'] as const) {
    for (const smaller of without(request.context[part])) {
      const context = { ...request.context, [part]: smaller } as AccessContext;
      yield { policies, request: { ...request, context }, difference };
    }
  }
  for (const body of without(request.context.request.body)) {
    const context = { ...request.context, request: { ...request.context.request, body } };
    yield { policies, request: { ...request, context }, difference };
  }
}

/** The value with one thing less, somewhere inside. */
function* without(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, element] of value.entries()) {
      for (const smaller of without(element)) yield value.with(index, smaller);
    }
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    for (const [index] of members.entries()) yield Object.fromEntries(members.toSpliced(index, 1));
    for (const [index, [name, member]] of members.entries()) {
      for (const smaller of without(member)) yield Object.fromEntries(members.with(index, [name, smaller]));
    }
  }
}

function note(statements: readonly ReferenceStatement[], request: ReferenceRequest, seen: Distribution): void {
  const ruling = ruleByReference(statements, request);
  add(seen, ruling.outcome);
  if (ruling.outcome === 'allowed' && fieldNames.some((name) => !ruling.mayUse(name)))
    add(seen, 'allowed, not all fields');
  for (const statement of statements) {
    noteResources(statement, request, seen);
    if (!reaches(statement, request)) continue;
    for (const entry of statement.entries) {
      const { qualifier, operator, hasIfExists } = entry;
      if (readingsOf(entry.key, request.context).length > 1) add(seen, ambiguous);
      noteVariables(entry, request, seen);
      const name = `${qualifier === undefined ? '' : `${qualifier}:`}${operator}${hasIfExists ? 'IfExists' : ''}`;
      add(seen, `${name} ${entryHolds(entry, statement.effect, request.context) ? 'holds' : 'fails'}`);
    }
  }
}

function noteResources(
  { resources = [] }: ReferenceStatement,
  { context }: ReferenceRequest,
  seen: Distribution,
): void {
  if (resources.some((text) => isTwofold(text, context))) add(seen, vague.resource);
}

function noteVariables(
  { operator, expected }: ConditionEntry,
  { context }: ReferenceRequest,
  seen: Distribution,
): void {
  if (operator.startsWith('String') && expected.some((text) => isTwofold(String(text), context)))
    add(seen, vague.condition);
}

function add(seen: Distribution, name: string): void {
  seen.set(name, (seen.get(name) ?? 0) + 1);
}
