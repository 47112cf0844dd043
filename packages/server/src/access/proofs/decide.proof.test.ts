import { test } from 'node:test';
import { agreeWithReference } from '../testing/any-policies.ts';

test('agrees with the reference evaluator on 100,000 requests', () => agreeWithReference(100_000));
