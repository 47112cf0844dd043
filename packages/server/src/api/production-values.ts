/** A value of a production record is for `org_admin` alone. What a route says of that is held to here, for every route. */

import type { Route } from '@freehold/contract/route';
import { ofRecordsMark } from '@freehold/contract/schema';
import type { JsonSchema } from '../lib/json-schema.ts';
import { Problem } from '../lib/problem.ts';
import { isObject } from '../lib/unknown-names.ts';

/** Builders and their keys have a role; whom else a route takes, it says by its access. */
interface Caller {
  readonly role: string;
}

export function mayReadProduction({ role }: Caller): boolean {
  return role === 'org_admin';
}

/** The parts of a request beside its path. */
interface SentValues {
  readonly query: unknown;
  readonly body: unknown;
}

/** @throws Problem `role_required` for what a route refuses to callers who may not read values of production. */
export function assertMayAsk({ production }: Route, caller: unknown, { query, body }: SentValues): void {
  const refused = production?.refused;
  if (refused === undefined || envOf({ query, body }) !== 'prod' || !isHeldBack(caller)) return;
  if (refused === 'always') throw new Problem('role_required', 'in production this needs the role `org_admin`');
  const sent = refused.find((member) => [query, body].some((part) => hasMember(part, member)));
  if (sent !== undefined) throw new Problem('role_required', `in production \`${sent}\` needs the role \`org_admin\``);
}

/** Gives the caller a value: all of it, or all but the members that hold or describe values of production. */
export type ShowValues = (value: unknown, caller: unknown, sent: SentValues) => unknown;

/** Undefined for a route without such members. */
export function shownBy({ replies }: Route): ShowValues | undefined {
  const outs = Object.values(replies).flatMap(({ schema }) => leavingOut(schema as JsonSchema | undefined) ?? []);
  if (outs.length === 0) return undefined;
  return (value, caller, sent) =>
    isHeldBack(caller) ? outs.reduce((left, leaveOut) => leaveOut(left, envOf(sent)), value) : value;
}

function isHeldBack(caller: unknown): boolean {
  return isObject(caller) && typeof caller.role === 'string' && caller.role !== 'org_admin';
}

/** Undefined where nothing says so: then each part of a reply says it, or is taken for production. */
function envOf({ query, body }: SentValues): unknown {
  const [requested] = [query, body].flatMap((part) =>
    isObject(part) && typeof part.env === 'string' ? [part.env] : [],
  );
  return requested;
}

function hasMember(value: unknown, path: string): boolean {
  const [name = '', ...rest] = path.split('.');
  if (!isObject(value) || value[name] === undefined) return false;
  return rest.length === 0 || hasMember(value[name], rest.join('.'));
}

/** Takes the marked members out of what is about production: `env` beside them says it, or else what is around them. */
type LeaveOut = (value: unknown, env: unknown) => unknown;

/** Undefined for a schema without marks. */
function leavingOut(schema: JsonSchema | undefined): LeaveOut | undefined {
  if (schema === undefined) return undefined;
  const { properties, items, additionalProperties, anyOf } = schema as Partial<Record<string, JsonSchema>>;
  const outs = [
    membersOut(properties),
    elementsOut(leavingOut(items)),
    isObject(additionalProperties) ? everyMemberOut(leavingOut(additionalProperties)) : undefined,
    ...(Array.isArray(anyOf) ? anyOf.map((branch) => leavingOut(branch as JsonSchema)) : []),
  ].filter((out) => out !== undefined);
  return outs.length === 0 ? undefined : (value, env) => outs.reduce((left, leaveOut) => leaveOut(left, env), value);
}

function membersOut(properties: JsonSchema | undefined): LeaveOut | undefined {
  const schemas = Object.entries(properties ?? {}) as readonly (readonly [string, JsonSchema])[];
  const marked = new Set(schemas.flatMap(([name, schema]) => (schema[ofRecordsMark] === true ? [name] : [])));
  const inner = new Map(schemas.flatMap(([name, schema]) => [...pairOf(name, leavingOut(schema))]));
  if (marked.size === 0 && inner.size === 0) return undefined;
  return (value, around) => {
    if (!isObject(value)) return value;
    const env = value.env ?? around;
    const shown = Object.entries(value).filter(([name]) => env === 'test' || !marked.has(name));
    return Object.fromEntries(shown.map(([name, member]) => [name, inner.get(name)?.(member, env) ?? member]));
  };
}

function pairOf(name: string, out: LeaveOut | undefined): readonly (readonly [string, LeaveOut])[] {
  return out === undefined ? [] : [[name, out]];
}

function elementsOut(out: LeaveOut | undefined): LeaveOut | undefined {
  return out && ((value, env) => (Array.isArray(value) ? value.map((element) => out(element, env)) : value));
}

function everyMemberOut(out: LeaveOut | undefined): LeaveOut | undefined {
  if (out === undefined) return undefined;
  return (value, env) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, out(member, env)]))
      : value;
}
