import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConformanceCase, Subject } from './bench.ts';
import { journaled, plantedFaults } from './planted-faults.ts';
import { casesFor, runAlone } from './run-conformance.ts';

describe('the conformance suite', () => {
  test('passes an engine without a fault', async () => {
    assert.deepEqual(await failures(journaled((journal) => journal)), []);
  });

  for (const fault of plantedFaults) {
    test(`fails an engine that ${fault.name}`, async () => {
      const failed = await failures(fault.subject);
      assert.ok(failed.includes(fault.caughtBy), `the cases that failed: ${failed.join(' | ') || 'none'}`);
    });
  }
});

async function failures(subject: Subject): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const one of casesFor(subject)) if (!(await passes(one, subject))) failed.push(one.name);
  return failed;
}

async function passes(one: ConformanceCase, subject: Subject): Promise<boolean> {
  try {
    await runAlone(one, subject);
    return true;
  } catch {
    return false;
  }
}
