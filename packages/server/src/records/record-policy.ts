import type { InputError } from '@freehold/contract/problem';
import type { Problem } from '../lib/problem.ts';
import { allOfBounds, type MemberFinder, unknownBounds, type WhereBounds } from '../lib/where-bounds.ts';
import type { RecordData, StoredText } from './record.ts';

export interface FieldNames {
  has(name: string): boolean;
}

/** What a caller may have of a record that is his to have. */
export interface RecordGrant {
  /** Undefined is every field. */
  readonly fields: FieldNames | undefined;
  /** It depends on how the write leaves the record. */
  readonly isProvisional?: true;
}

/** How a write finds a record and leaves it, as far as it does either. `open`: how it leaves the record is not known yet. */
export interface RecordStates {
  readonly before?: RecordData;
  readonly after?: RecordData | 'open';
}

/**
 * What a caller may do, by one verb, with the single records of an entity. Where there is none (`undefined`), that is
 * everything with all of them. Entities know that this is decided, not how.
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
  /** What judging records has taken so far, in steps: about 2 ns each. */
  steps(): number;
  /** Fields that the caller has of every record that is his; undefined is every field, here and below. */
  readonly sureFields: FieldNames | undefined;
  /** Fields that the caller has of some record. */
  readonly possibleFields: FieldNames | undefined;
  /** Texts that fields have in every record that is the caller's: a list may look for them first. */
  readonly equalities: readonly { readonly field: string; readonly value: string }[];
  /** What the caller may get of a record that an update is about. Where this or its answer is missing, that is nothing. */
  readonly readable?: ((record: RecordData) => RecordGrant | undefined) | undefined;
  /** What is answered in place of a record that is not the caller's: the same as where there is none. */
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

/** The policy, but for some members. A spread would lose what stands in the class of a policy. */
export function policyWith(policy: RecordPolicy, changes: Partial<RecordPolicy>): RecordPolicy {
  return Object.create(policy, Object.getOwnPropertyDescriptors(changes));
}

/** What two accesses leave together. The refusing one gives the error. */
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
