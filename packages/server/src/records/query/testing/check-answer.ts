import assert from 'node:assert/strict';
import { assertWhere, meetsWhere } from '../../../lib/where.ts';
import { dataOf, type RecordData } from '../../record.ts';
import { boundsOf, type Conditions, questionOf } from '../question.ts';
import { storedEntity } from './random-questions.ts';

const none: Conditions = { filters: [], expression: undefined, search: undefined, rows: undefined };

export interface QuestionCase {
  readonly conditions: Partial<Conditions>;
  readonly holds: (data: RecordData) => boolean;
}

/** Counts of exact questions that held, of those that did not, and of questions that were not exact. */
export const seen = () => ({ met: 0, missed: 0, unsure: 0 });

/** @param text of a stored record. */
export function checkAnswer({ conditions, holds }: QuestionCase, text: string, counts: ReturnType<typeof seen>): void {
  const question = questionOf(storedEntity, { ...none, ...conditions });
  const { below } = boundsOf(storedEntity, { ...none, ...conditions });
  const stored: unknown = JSON.parse(text);
  const isOfAnswer = holds(dataOf(storedEntity, { value: text }));
  assertWhere(question.where);
  assertWhere({ kind: 'and', parts: [question.where, { kind: 'not', part: below }] });
  const isFound = meetsWhere(question.where, stored);
  if (isOfAnswer) assert.ok(isFound, 'a record of the answer is not found');
  else assert.ok(!meetsWhere(below, stored), 'a record is thought to be of the answer');
  if (question.isExact) assert.equal(isFound, isOfAnswer);
  if (!question.isExact) counts.unsure += 1;
  else if (isFound) counts.met += 1;
  else counts.missed += 1;
}
