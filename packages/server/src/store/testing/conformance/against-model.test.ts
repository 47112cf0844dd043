import { test } from 'node:test';
import { sqliteSubject } from '../../sqlite/testing/temporary-store.ts';
import { assertAgreement } from './model-agreement.ts';

test('SQLite gives the verdicts, numbers and contents of the model for any run of commits', () =>
  assertAgreement(sqliteSubject, 150));
