import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext, Pending } from '../context/context.ts';
import type { FieldSet } from '../field-set.ts';
import type { Evaluation, Ruling } from '../ruling.ts';
import { compileAll, type PolicySample, randomRequest, randomSample } from '../testing/agreement.ts';
import { Dice } from '../testing/dice.ts';
import { ids, randomMembers } from '../testing/random-context.ts';
import { fieldNames } from '../testing/random-policies.ts';
import { valuesOf } from '../testing/reference-context.ts';
import { type ReferenceRequest, referenceRuling } from '../testing/reference-evaluator.ts';
import { textOf } from '../testing/reference-pattern.ts';

const samples = 1500;

/** Gives each world's policies, a request, and that request with some other records. */
function forEachSample(
  seed: number,
  check: (trial: Trial) => void,
  make: (dice: Dice) => PolicySample = randomSample,
): void {
  const dice = new Dice(seed);
  for (let number = 0; number < samples; number++) {
    const { palette, policies } = make(dice);
    const request = randomRequest(dice, palette);
    const records = [request.context.record ?? {}, ...dice.list(4, 4, () => randomMembers(dice, palette))];
    const requests = records.map((record) => ({ ...request, context: { ...request.context, record } }));
    const trial = { policies, request, records, requests, access: compileAll(policies) };
    try {
      check(trial);
    } catch (cause) {
      throw new Error(`world ${number} of seed ${seed}: ${JSON.stringify({ policies, requests })}`, { cause });
    }
  }
}

interface Trial {
  readonly policies: readonly unknown[];
  readonly request: ReferenceRequest;
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** The request with each of the records. */
  readonly requests: readonly ReferenceRequest[];
  readonly access: ReturnType<typeof compileAll>;
}

function ruleOn({ access }: Trial, { action, resource, context }: ReferenceRequest): Ruling {
  return access.rule(action, resource, () => context);
}

function ruleWithout(trial: Trial, pending: readonly Pending[]): Ruling {
  return ruleOn(trial, { ...trial.request, context: withhold(trial.request.context, pending) });
}

function withhold(context: AccessContext, pending: readonly Pending[]): AccessContext {
  const { record, ...others } = context;
  const { body, pathParameters, ...rest } = context.request;
  const { id, ...parameters } = pathParameters;
  return {
    ...others,
    ...(pending.includes('record') || record === undefined ? {} : { record }),
    request: {
      ...rest,
      pathParameters: pending.includes('id') ? parameters : pathParameters,
      ...(pending.includes('body') || body === undefined ? {} : { body }),
    },
    pending,
  };
}

function has(fields: FieldSet | undefined, name: string): boolean {
  return fields?.has(name) ?? true;
}

function assertWithin(smaller: FieldSet | undefined, larger: FieldSet | undefined, description: string): void {
  for (const name of fieldNames) assert.ok(!has(smaller, name) || has(larger, name), `${description}: ${name}`);
}

/** A ruling must agree with the later decision. A denial for want of any Allow may precede that by a Deny. */
function assertFollows(
  open: Ruling,
  evaluated: { readonly outcome: string },
  known: { readonly outcome: string },
): void {
  if (open.outcome !== 'undecided') assert.equal(evaluated.outcome, open.outcome);
  if (open.outcome === 'implicit_deny') assert.notEqual(known.outcome, 'allowed');
  else assert.equal(evaluated.outcome, known.outcome);
}

test('evaluating a record decides as if it had been known from the start', () => {
  const seen: Record<string, number> = { allowed: 0, explicit_deny: 0, implicit_deny: 0, undecided: 0 };
  forEachSample(1, (trial) => {
    const open = ruleWithout(trial, ['record']);
    seen[open.outcome] = (seen[open.outcome] ?? 0) + 1;
    for (const [index, record] of trial.records.entries()) {
      const request = trial.requests[index] ?? trial.request;
      const known = referenceRuling(trial.policies, request);
      const evaluated = open.evaluate(record);
      assertFollows(open, evaluated, known);
      if (known.outcome !== 'allowed') continue;
      for (const name of fieldNames) assert.equal(has(evaluated.fields, name), known.mayUse(name), name);
    }
  });
  for (const [outcome, count] of Object.entries(seen)) assert.ok(count > samples / 20, `${outcome}: ${count}`);
});

test('evaluating a record once does not change how the next one is evaluated', () => {
  forEachSample(2, (trial) => {
    const open = ruleWithout(trial, ['record']);
    const first = trial.records.map((record) => open.evaluate(record).outcome);
    const again = trial.records.toReversed().map((record) => open.evaluate(record).outcome);
    assert.deepEqual(again.toReversed(), first);
  });
});

test('evaluating a record whose id was pending too decides as if both had been known', () => {
  forEachSample(3, (trial) => {
    const open = ruleWithout(trial, ['record', 'id']);
    const { id } = trial.request.context.request.pathParameters;
    if (id === undefined) return;
    for (const [index, record] of trial.records.entries()) {
      const known = referenceRuling(trial.policies, trial.requests[index] ?? trial.request);
      assertFollows(open, open.evaluate(record, id), known);
    }
  });
});

test('ruling on some record of a path decides about each as if its path and id had been known', () => {
  const seen: Record<string, number> = { allowed: 0, explicit_deny: 0, implicit_deny: 0, undecided: 0 };
  forEachSample(10, (trial) => {
    const { action, context } = trial.request;
    const open = trial.access.ruleOnSome(action, pathBeforeId, () => withhold(context, ['record']));
    seen[open.outcome] = (seen[open.outcome] ?? 0) + 1;
    for (const { record, id, request } of somewhere(trial)) {
      const known = referenceRuling(trial.policies, request);
      const evaluated = open.evaluate(record, id);
      assertFollows(open, evaluated, known);
      if (known.outcome !== 'allowed') continue;
      for (const name of fieldNames) assert.equal(has(evaluated.fields, name), known.mayUse(name), name);
    }
  });
  for (const [outcome, count] of Object.entries(seen)) assert.ok(count > samples / 20, `${outcome}: ${count}`);
});

test('the Denies alone decide about each record as if all else was allowed', () => {
  const seen: Record<string, number> = { allowed: 0, explicit_deny: 0, undecided: 0 };
  const everything = { Effect: 'Allow', Action: '*', Resource: '*' };
  forEachSample(11, (trial) => {
    const { action, context } = trial.request;
    const open = trial.access.denials(action, pathBeforeId, () => withhold(context, ['record']));
    seen[open.outcome] = (seen[open.outcome] ?? 0) + 1;
    for (const { record, id, request } of somewhere(trial)) {
      const known = referenceRuling([...trial.policies, [everything]], request);
      const evaluated = open.evaluate(record, id);
      assert.equal(evaluated.outcome, known.outcome);
      if (open.outcome !== 'undecided') assert.equal(open.outcome, known.outcome);
      if (known.outcome !== 'allowed') continue;
      for (const name of fieldNames) assert.equal(has(evaluated.fields, name), known.mayUse(name), name);
    }
  });
  for (const [outcome, count] of Object.entries(seen)) assert.ok(count > samples / 20, `${outcome}: ${count}`);
});

const pathBeforeId = '/item/order/';

/** The request with each of the records, as a request for that record. */
function somewhere({ records, request }: Trial) {
  return records.map((record, index) => {
    const id = ids[index % ids.length] ?? 'u1';
    const resource = pathBeforeId + id;
    const pathParameters = { ...request.context.request.pathParameters, id };
    const context = {
      ...request.context,
      record,
      request: { ...request.context.request, path: resource, pathParameters },
    };
    return { record, id, request: { ...request, resource, context } };
  });
}

test('while it is open how a write leaves a record, each state that would be allowed can be allowed', () => {
  const seen = { provisional: 0, allowed: 0, denied: 0 };
  forEachSample(12, (trial) => {
    for (const before of trial.records) {
      const evaluated = ruleWithout(trial, ['record']).evaluate(before, undefined, { before, after: 'open' });
      for (const after of trial.records) assertLeads(evaluated, judgeUpdate(trial, before, after));
      const answer = evaluated.outcome === 'allowed' ? 'allowed' : 'denied';
      seen[evaluated.isProvisional === true ? 'provisional' : answer]++;
    }
  });
  for (const [outcome, count] of Object.entries(seen)) assert.ok(count > samples / 10, `${outcome}: ${count}`);
});

type Fields = Trial['records'][number];

/** The judgement of an update by the record as it is, compared with the reference, as that by the record as it becomes. */
function judgeUpdate(trial: Trial, before: Fields, after: Fields): Evaluation {
  const open = ruleWithout(trial, ['record']);
  const judgementOf = (record: Fields): Evaluation => {
    const context = { ...trial.request.context, record, before, after };
    const known = referenceRuling(trial.policies, { ...trial.request, context });
    const evaluated = open.evaluate(record, undefined, { before, after });
    assertFollows(open, evaluated, known);
    assert.equal(evaluated.isProvisional, undefined);
    if (known.outcome === 'allowed')
      for (const name of fieldNames) assert.equal(has(evaluated.fields, name), known.mayUse(name), name);
    return evaluated;
  };
  judgementOf(after);
  return judgementOf(before);
}

function assertLeads(open: Evaluation, known: Evaluation): void {
  const isAllowed = known.outcome === 'allowed';
  if (open.isProvisional === undefined) assert.equal(open.outcome === 'allowed', isAllowed);
  if (!isAllowed) return;
  assert.equal(open.outcome, 'allowed');
  assertWithin(known.fields, open.fields, 'what is granted while the state is open');
}

test('leaves undecided only what depends on what is pending, and says on what', () => {
  forEachSample(4, (trial) => {
    const known = ruleOn(trial, trial.request);
    assert.notEqual(known.outcome, 'undecided');
    assert.deepEqual(known.needs, []);
    for (const pending of [['record'], ['body'], ['id'], ['body', 'record'], ['body', 'record', 'id']] as const) {
      const open = ruleWithout(trial, pending);
      assert.equal(open.needs.length > 0, open.outcome === 'undecided', String(pending));
      assert.ok(
        open.needs.every((need) => pending.some((one) => one === need)),
        `${open.needs} of ${pending}`,
      );
      if (open.outcome !== 'undecided') assertFollows(open, open, known);
      const stillPending = pending.filter((one) => !open.needs.includes(one));
      assert.notEqual(ruleWithout(trial, stillPending).outcome, 'undecided', `${open.needs} of ${pending} were needed`);
    }
  });
});

test('asks for the context only where a statement needs it', () => {
  let requestCount = 0;
  forEachSample(5, ({ access, request: { action, resource, context } }) => {
    let asks = 0;
    const counting = () => {
      asks++;
      return context;
    };
    access.rule(action, resource, counting);
    requestCount += Math.sign(asks);
    assert.ok(asks <= 1);
  });
  assert.ok(requestCount > samples / 10 && requestCount < (samples * 95) / 100, `${requestCount} of ${samples}`);
});

test('counts against the caller what is still pending when a record is evaluated', () => {
  let undecided = 0;
  forEachSample(6, (trial) => {
    const open = ruleWithout(trial, ['body', 'record']);
    for (const [index, record] of trial.records.entries()) {
      const known = referenceRuling(trial.policies, trial.requests[index] ?? trial.request);
      const evaluated = open.evaluate(record);
      if (evaluated.outcome !== known.outcome) undecided++;
      if (evaluated.outcome !== 'allowed') continue;
      assert.equal(known.outcome, 'allowed');
      for (const name of fieldNames) assert.ok(!has(evaluated.fields, name) || known.mayUse(name), name);
    }
  });
  assert.ok(undecided > samples / 40, String(undecided));
});

test('gives every allowed record the sure fields, and none but the possible ones', () => {
  const seen = { narrow: 0, wide: 0 };
  forEachSample(7, (trial) => {
    const open = ruleWithout(trial, ['record']);
    for (const record of trial.records) {
      const { outcome, fields } = open.evaluate(record);
      if (outcome !== 'allowed') continue;
      assertWithin(open.sureFields, fields, 'sure');
      assertWithin(fields, open.possibleFields, 'possible');
      if (open.outcome === 'allowed') assertWithin(open.fields, fields, 'said at once');
      if (fieldNames.some((name) => has(fields, name) && !has(open.sureFields, name))) seen.narrow++;
      if (fieldNames.some((name) => !has(fields, name) && has(open.possibleFields, name))) seen.wide++;
    }
  });
  assert.ok(seen.narrow > 20 && seen.wide > 20, JSON.stringify(seen));
});

test('names only equalities that hold of every record that can be allowed', () => {
  const seen = { named: 0, kept: 0 };
  forEachSample(
    8,
    (trial) => {
      const open = ruleWithout(trial, ['record']);
      if (open.outcome !== 'undecided') return;
      seen.named += Math.sign(open.equalities.length);
      for (const [index, record] of trial.records.entries()) {
        if (open.evaluate(record).outcome !== 'allowed') continue;
        const { context } = trial.requests[index] ?? trial.request;
        for (const { field, value } of open.equalities) {
          seen.kept++;
          assert.deepEqual(valuesOf(`record.${field}`, context).map(textOf), [value]);
        }
      }
    },
    randomEqualities,
  );
  assert.ok(seen.named > samples / 8 && seen.kept > samples / 8, JSON.stringify(seen));
});

/** Policies whose Allows mostly ask a field of the record for the same value. */
function randomEqualities(dice: Dice): PolicySample {
  const { palette, policies } = randomSample(dice);
  const value = dice.pick(dice.hits(60) ? palette.text : [`$\u007buser.id}`, `$\u007bjwt.status}`]);
  const statements = policies.flat().map((statement) => {
    if (typeof statement !== 'object' || statement === null || !('Effect' in statement) || dice.hits(8))
      return statement;
    const field = dice.hits(90) ? 'record.status' : 'record.owner';
    const expected = dice.hits(90) ? value : [value, dice.pick(palette.text)];
    const condition = 'Condition' in statement && dice.hits(40) ? Object(statement.Condition) : {};
    return { ...statement, Condition: { ...condition, StringEquals: { [field]: expected } } };
  });
  return { palette, policies: [statements] };
}

test('judges a record that has the fields it depends on by these alone, in as many steps', () => {
  const seen = { evaluated: 0, allowed: 0 };
  forEachSample(
    12,
    (trial) => {
      const { recordFields } = ruleWithout(trial, ['record']);
      if (recordFields === undefined) return;
      for (const record of trial.records) {
        if (!recordFields.every((field) => Object.hasOwn(record, field))) continue;
        const [whole, part] = [ruleWithout(trial, ['record']), ruleWithout(trial, ['record'])];
        const evaluated = part.evaluate(Object.fromEntries(recordFields.map((field) => [field, record[field]])));
        const { outcome, fields } = whole.evaluate(record);
        assert.equal(evaluated.outcome, outcome);
        assert.equal(part.steps, whole.steps);
        for (const name of fieldNames) assert.equal(has(evaluated.fields, name), has(fields, name), name);
        seen.evaluated++;
        if (outcome === 'allowed') seen.allowed++;
      }
    },
    randomEqualities,
  );
  assert.ok(seen.evaluated > samples / 8 && seen.allowed > samples / 20, JSON.stringify(seen));
});

test('names the equality by which an owner sees what is its own', () => {
  const own = { StringEquals: { 'record.owner': `$\u007buser.id}` } };
  const access = compileAll([[{ Effect: 'Allow', Action: 'list*', Resource: '*', Condition: own }]]);
  const context = randomRequest(new Dice(1), randomSample(new Dice(1)).palette).context;
  const pending = withhold({ ...context, user: { id: 'u1', email: '' } }, ['record']);
  const ruling = access.rule('listorder', '/list/order', () => pending);
  assert.deepEqual([ruling.outcome, ruling.equalities], ['undecided', [{ field: 'owner', value: 'u1' }]]);
});

test('says that no Deny may concern an action only where none does', () => {
  let none = 0;
  forEachSample(9, ({ access, policies, request }) => {
    if (access.mayDeny(request.action)) return;
    none++;
    const { outcome, mayUse } = referenceRuling(
      [...policies, [{ Effect: 'Allow', Action: '*', Resource: '*' }]],
      request,
    );
    assert.equal(outcome, 'allowed');
    for (const name of fieldNames) assert.ok(mayUse(name));
  });
  assert.ok(none > samples / 10, String(none));
});
