import assert from 'node:assert/strict';
import { test } from 'node:test';
import { continuationOf, withoutContinuation } from './exported-file.ts';

const columns = 'at,actor_kind,actor_id,action,target_kind,target_id,target_name,env,tenant_code,request_id,detail\r\n';
const line = '2026-01-01T00:00:00Z,org_user,u1,org.created,org,acme,,,,r1,\r\n';
const goesOn = '2026-01-01T00:00:00Z,platform,platform,audit.export_continues,,,,,,r2,"{""nexttoken"":""a,b""}"\r\n';

test('the last line of a part names the next part, and is not part of the file', () => {
  assert.equal(continuationOf('csv', columns + line + goesOn), 'a,b');
  const whole =
    withoutContinuation('csv', columns + line + goesOn, { isFirst: true, isLast: false }) +
    withoutContinuation('csv', columns + line, { isFirst: false, isLast: true });
  assert.equal(whole, columns + line + line);
  const entry = '{"action":"org.created"}\n';
  const more = '{"action":"audit.export_continues","detail":{"nexttoken":"t"}}\n';
  assert.equal(continuationOf('jsonl', entry + more), 't');
  assert.equal(withoutContinuation('jsonl', entry + more, { isFirst: true, isLast: false }), entry);
});

test('a file without such a line is whole, also an empty one and one in which an entry has these words', () => {
  for (const text of [columns, columns + line]) assert.equal(continuationOf('csv', text), undefined);
  for (const text of ['', '{"action":"a.b","target":{"id":"audit.export_continues"}}\n'])
    assert.equal(continuationOf('jsonl', text), undefined);
  const named = '2026-01-01T00:00:00Z,org_user,u1,a.b,x,audit.export_continues,,,,r,"{""nexttoken"":""x""}"\r\n';
  assert.equal(continuationOf('csv', columns + named), undefined);
  assert.equal(withoutContinuation('jsonl', '', { isFirst: true, isLast: true }), '');
});
