import { elementType, memberType, timestamp, type ValueType } from './value-type.ts';

/** The amount that a template may take. */

/** Why a template has no value: its expression cannot be evaluated, names what this node does not know, or takes too much. */
export class TemplateError extends Error {
  readonly code:
    | 'expression_failed'
    | 'unknown_time_zone'
    | 'unknown_locale'
    | 'unknown_pattern'
    | 'expression_too_costly';

  constructor(code: TemplateError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The cost of expressions so far, in steps of about 250 ns at most. Expressions that share it share its bound. */
export interface Effort {
  steps: number;
}

/** About 50 ms at most. */
export const stepsMax = 200_000;

/** Whether expressions that share the effort have taken more than they may: none of them is evaluated any more. */
export function isSpent({ steps }: Effort): boolean {
  return steps > stepsMax;
}

/** UTF-16 units of a text that is built. */
const textMax = 256 * 1024;

/** The number of characters of a text that an operation goes through in a step. */
const charactersOfStep = 16;

/** @throws TemplateError where the steps are over. */
export function charge(effort: Effort, steps: number): void {
  effort.steps += steps;
  if (effort.steps > stepsMax) throw new TemplateError('expression_too_costly', `it takes more than ${stepsMax} steps`);
}

/** For an operation that goes through a text. @throws TemplateError where the steps are over. */
export function chargeText(effort: Effort, characters: number): void {
  charge(effort, 1 + Math.floor(characters / charactersOfStep));
}

/** For a text that is built. @throws TemplateError where it is too long, or the steps are over. */
export function chargeBuilt(effort: Effort, characters: number): void {
  if (characters > textMax)
    throw new TemplateError('expression_too_costly', `it makes a text of more than ${textMax} characters`);
  chargeText(effort, characters);
}

// JSON as CEL has it, and the other way round.

/** Read for a missing member, and for a value that does not fit its type. */
export const absent: unique symbol = Symbol('absent');

/** A member of a JSON object that it has itself: names such as `constructor` are nothing but data. */
export function ownMember(of: unknown, name: string): unknown {
  if (typeof of !== 'object' || of === null || Array.isArray(of) || !Object.hasOwn(of, name)) return absent;
  const value: unknown = Reflect.get(of, name);
  return value === undefined || typeof value === 'function' ? absent : value;
}

/** @param json a value of which nothing was changed since it was parsed. */
export function celOf(json: unknown, type: ValueType, effort: Effort): unknown {
  charge(effort, 1);
  if (Array.isArray(json)) {
    const of = elementType(type);
    return of === undefined ? absent : json.map((element) => presentOf(celOf(element, of, effort)));
  }
  if (typeof type === 'object' || type === 'dyn') return ofAnyType(json, type, effort);
  if (typeof json === 'string') chargeText(effort, json.length);
  return ofScalarType(json, type);
}

function ofAnyType(json: unknown, type: ValueType, effort: Effort): unknown {
  switch (typeof json) {
    case 'string':
      chargeText(effort, json.length);
      return type === 'dyn' ? json : absent;
    case 'number':
    case 'boolean':
      return type === 'dyn' ? json : absent;
    case 'object':
      return json === null ? json : mapOf(json, type, effort);
    default:
      return absent;
  }
}

/** A map, whose names cannot be taken for those of an object. */
function mapOf(json: object, type: ValueType, effort: Effort): unknown {
  if (typeof type === 'object' && type.kind === 'list') return absent;
  const map = new Map<string, unknown>();
  for (const [name, member] of Object.entries(json)) {
    const value = celOf(member, memberType(type, name) ?? 'dyn', effort);
    if (value !== absent) map.set(name, value);
  }
  return map;
}

function ofScalarType(json: unknown, type: string): unknown {
  switch (type) {
    case 'string':
      return typeof json === 'string' ? json : absent;
    case 'bool':
      return typeof json === 'boolean' ? json : absent;
    case 'int':
      return typeof json === 'number' && Number.isSafeInteger(json) ? BigInt(json) : absent;
    case 'double':
      return typeof json === 'number' ? json : absent;
    case timestamp:
      return momentOf(json);
    default:
      return absent;
  }
}

function momentOf(json: unknown): unknown {
  const moment = typeof json === 'string' || typeof json === 'number' ? new Date(json) : undefined;
  return moment === undefined || Number.isNaN(moment.getTime()) ? absent : moment;
}

/** An element that is none of its type keeps its place. */
function presentOf(value: unknown): unknown {
  return value === absent ? null : value;
}

/** @throws TemplateError for a value that JSON has not. */
export function jsonOf(value: unknown, effort: Effort): unknown {
  charge(effort, 1);
  switch (typeof value) {
    case 'bigint':
      if (Number.isSafeInteger(Number(value))) return Number(value);
      throw new TemplateError('expression_failed', 'it gives a whole number of more than 53 bits');
    case 'number':
      if (Number.isFinite(value)) return value === 0 ? 0 : value;
      throw new TemplateError('expression_failed', 'it gives no finite number');
    case 'string':
      chargeText(effort, value.length);
      return value;
    case 'boolean':
      return value;
    default:
      return value === null ? value : jsonOfObject(Object(value), effort);
  }
}

function jsonOfObject(value: object | undefined, effort: Effort): unknown {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (Array.isArray(value)) return value.map((element) => jsonOf(element, effort));
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, member]) => [String(name), jsonOf(member, effort)]));
  // Of a duration, whose class the library keeps to itself, it is the milliseconds.
  const milliseconds: unknown = value?.valueOf();
  if (typeof milliseconds === 'number' && Number.isFinite(milliseconds)) return `${milliseconds / 1000}s`;
  throw new TemplateError('expression_failed', 'it gives a value that is not JSON');
}
