import { always, never } from '../lib/where.ts';
import { exactly, type MemberFinder, type WhereBounds } from '../lib/where-bounds.ts';
import type { AccessContext, Pending } from './context/context.ts';
import type { FieldSet } from './field-set.ts';

type FinalOutcome = 'allowed' | 'explicit_deny' | 'implicit_deny';

/** `undecided`: it depends on what is not known yet. */
export type Outcome = FinalOutcome | 'undecided';

/** The verdict of the policies on a request, as far as it is known. */
export interface Ruling {
  readonly outcome: Outcome;
  /** The parts that must be known for an undecided one to be decided. */
  readonly needs: readonly Pending[];
  /** Which fields, where the outcome is `allowed`. `undefined` stands for all, here and below. */
  readonly fields: FieldSet | undefined;
  /** Fields that every record has which can still be allowed. */
  readonly sureFields: FieldSet | undefined;
  /** Fields that some record can have which can still be allowed. */
  readonly possibleFields: FieldSet | undefined;
  /**
   * A condition that holds of every record that can still be allowed: the text of its field is the value. The text of a
   * list of one is that of its element, so only fields that hold no lists may be looked up by it.
   */
  readonly equalities: readonly FieldEquality[];
  /**
   * Fields of the record on which alone it depends how a record is evaluated that has them all; undefined where it may
   * depend on others, or on what they are called.
   */
  readonly recordFields: readonly string[] | undefined;
  /** Trees of the records that are allowed where nothing but the record and its id is open. */
  bounds(find: MemberFinder): WhereBounds;
  /**
   * The decision with the record known, and its id where that was pending too. What is still pending then counts
   * against the caller: a Deny that depends on it applies, an Allow does not.
   */
  evaluate(record: Fields, id?: string, states?: RecordStates): Evaluation;
  /** The steps that evaluating records has taken so far: in each of them no more than one decision may. */
  readonly steps: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** The states of a record that a write has. `open`: it is not known yet how the write leaves the record. */
export interface RecordStates extends Pick<AccessContext, 'before'> {
  readonly after?: Fields | 'open';
}

export interface FieldEquality {
  readonly field: string;
  readonly value: string;
}

export interface Evaluation {
  readonly outcome: FinalOutcome;
  readonly fields: FieldSet | undefined;
  /** It is allowed as far as it is known, and depends on how the write leaves the record. */
  readonly isProvisional?: true;
}

/** Of what depends on nothing else, here and below: shared, so that deciding it makes nothing. */
export const plainEvaluations: Readonly<Record<FinalOutcome, Evaluation>> = {
  allowed: Object.freeze({ outcome: 'allowed', fields: undefined }),
  explicit_deny: Object.freeze({ outcome: 'explicit_deny', fields: undefined }),
  implicit_deny: Object.freeze({ outcome: 'implicit_deny', fields: undefined }),
};

export const plainRulings: Readonly<Record<FinalOutcome, Ruling>> = {
  allowed: decidedRuling(plainEvaluations.allowed),
  explicit_deny: decidedRuling(plainEvaluations.explicit_deny),
  implicit_deny: decidedRuling(plainEvaluations.implicit_deny),
};

export function decidedRuling(evaluation: Evaluation): Ruling {
  const { outcome, fields } = evaluation;
  return Object.freeze({
    outcome,
    needs: [],
    fields,
    sureFields: fields,
    possibleFields: fields,
    equalities: [],
    recordFields: [],
    bounds: () => exactly(outcome === 'allowed' ? always : never),
    evaluate: () => evaluation,
    steps: 0,
  });
}
