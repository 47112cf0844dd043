import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandEnd, outcomeOf, problemOf } from './run-command.ts';

const end = (more: Partial<CommandEnd>): CommandEnd => ({ code: 0, signal: null, stdout: '', stderr: '', ...more });

test('a restore passes where it says so itself, and only then', () => {
  assert.deepEqual(outcomeOf(end({ stdout: 'restored\ntest: 1 orgs\nnothing has drifted\n' })), { result: 'passed' });
  for (const stdout of ['', 'restored\n', 'nothing has drifted\nthe data is of an earlier version\n'])
    assert.equal(outcomeOf(end({ stdout })).result, 'unverified', stdout);
  assert.equal(outcomeOf(end({ code: 1, stdout: 'nothing has drifted\n' })).result, 'failed');
  assert.equal(outcomeOf(end({ code: null, signal: 'SIGKILL', stdout: 'nothing has drifted\n' })).result, 'failed');
});

test('drift is counted, and no key of a record is told', () => {
  const stdout = 'test: 1 orgs\n  unique in a at "ada@example.com" "x": it is missing\ndrift: 3\n';
  const { result, problem } = outcomeOf(end({ code: 1, stdout }));
  assert.equal(result, 'drifted');
  assert.match(problem ?? '', /^3 things have drifted: /);
  assert.doesNotMatch(problem ?? '', /ada/);
  assert.match(outcomeOf(end({ code: 1, stdout: 'drift: 1\n' })).problem ?? '', /^1 thing has drifted: /);
});

test('a failure is told by the last line, cut where it is long, or by how the process ended', () => {
  assert.equal(
    problemOf(end({ code: 2, stderr: 'a warning\nthe backup could not be made: no space\n' })),
    'the backup could not be made: no space',
  );
  assert.equal(problemOf(end({ code: 2, stderr: '\u{1f600}'.repeat(1000) })).length, 300);
  assert.equal(problemOf(end({ code: 3 })), 'its process ended with code 3');
  assert.equal(problemOf(end({ code: null, signal: 'SIGKILL' })), 'its process was ended by SIGKILL');
});
