import type { InputError } from '@freehold/contract/problem';
import type { Problem } from '../lib/problem.ts';
import { allOfBounds, type MemberFinder, unknownBounds, type WhereBounds } from '../lib/where-bounds.ts';
import type { RecordData, StoredText } from './record.ts';

export interface FieldNames {
  has(name: string): boolean;
}

/** The fields that a caller may have of a record. */
export interface RecordGrant {
  /** Undefined is every field. */
  readonly fields: FieldNames | undefined;
  /** It depends on how the write leaves the record. */
  readonly isProvisional?: true;
}

/** A record before and after a write, as far as there is either. `open`: the record after it is not known yet. */
export interface RecordStates {
  readonly before?: RecordData;
  readonly after?: RecordData | 'open';
}

/**
 * The caller's rights, by one verb, on the single records of an entity. `undefined` allows everything with all of them.
 * Entities know that this is decided, not how.
 */
export interface RecordPolicy {
  /** Whether no record can be the caller's, as is known without one. */
  readonly isNone: boolean;
  /** Whether every record is the caller's, as is known without one. */
  readonly isEvery?: boolean;
  /** Undefined where the record is not the caller's. */
  judge(record: RecordData, states?: RecordStates): RecordGrant | undefined;
  /**
   * Fields on which alone it depends how a record is judged that has them all and of which no states are given; left out
   * where it may depend on others.
   */
  reads?(): readonly string[] | undefined;
  /** Trees of the records that are the caller's where no states are given. Left out where none are known. */
  bounds?(find: MemberFinder): WhereBounds;
  /** The steps that judging records has taken so far: about 2 ns each. */
  steps(): number;
  /** Fields that the caller has of every record that is his; undefined is every field, here and below. */
  readonly sureFields: FieldNames | undefined;
  /** Fields that the caller has of some record. */
  readonly possibleFields: FieldNames | undefined;
  /** Texts that fields have in every record that is the caller's: a list may look for them first. */
  readonly equalities: readonly { readonly field: string; readonly value: string }[];
  /** The grant to get the record that an update is about. Without this or its answer, there is none. */
  readonly readable?: ((record: RecordData) => RecordGrant | undefined) | undefined;
  /** The answer in place of a record that is not the caller's: the same as where there is none. */
  missing(record: RecordData, states?: RecordStates): Problem;
  /** The refusal of what is known not to be allowed, or not with this record, or not with these fields. */
  denied(record?: RecordData, errors?: readonly InputError[], states?: RecordStates): Problem;
}

/** A record's text, and which of its fields are the reader's. */
export interface ReadableText extends StoredText {
  /** Undefined is every field. */
  readonly fields?: FieldNames | undefined;
}

/** The fields that identify the record and its version are visible to every caller who may see a part of the record. */
const envelope: ReadonlySet<string> = new Set(['id', 'version', 'created_at', 'updated_at']);

export function isOfEnvelope(name: string): boolean {
  return envelope.has(name);
}

export function isReadable(fields: FieldNames | undefined, name: string): boolean {
  return fields === undefined || envelope.has(name) || fields.has(name);
}

function bothFields(left: FieldNames | undefined, right: FieldNames | undefined): FieldNames | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return { has: (name) => left.has(name) && right.has(name) };
}

/** The policy, but for some members. A spread would lose the members of a policy's class. */
export function policyWith(policy: RecordPolicy, changes: Partial<RecordPolicy>): RecordPolicy {
  return Object.create(policy, Object.getOwnPropertyDescriptors(changes));
}

/** The policy that two accesses leave together. The refusing one gives the error. */
export function bothPolicies(
  left: RecordPolicy | undefined,
  right: RecordPolicy | undefined,
): RecordPolicy | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const refusing = (record: RecordData, states?: RecordStates): RecordPolicy =>
    left.judge(record, states) === undefined ? left : right;
  return {
    isNone: left.isNone || right.isNone,
    isEvery: left.isEvery === true && right.isEvery === true,
    judge: (record, states) => {
      const grant = left.judge(record, states);
      const other = grant === undefined ? undefined : right.judge(record, states);
      const isProvisional = grant?.isProvisional ?? other?.isProvisional;
      const provisional = isProvisional === undefined ? {} : { isProvisional };
      return grant && other && { fields: bothFields(grant.fields, other.fields), ...provisional };
    },
    steps: () => left.steps() + right.steps(),
    bounds: (find) => allOfBounds([left, right].map((policy) => policy.bounds?.(find) ?? unknownBounds)),
    reads: () => {
      const [reads, others] = [left.reads?.(), right.reads?.()];
      return reads && others && [...new Set([...reads, ...others])];
    },
    sureFields: bothFields(left.sureFields, right.sureFields),
    possibleFields: bothFields(left.possibleFields, right.possibleFields),
    equalities: [...left.equalities, ...right.equalities],
    missing: (record, states) => refusing(record, states).missing(record, states),
    denied: (record, errors, states) =>
      record === undefined
        ? (left.isNone ? left : right).denied()
        : refusing(record, states).denied(record, errors, states),
  };
}
