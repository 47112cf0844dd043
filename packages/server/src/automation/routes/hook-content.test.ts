import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHookContent } from './hooks.ts';

const form = 'application/x-www-form-urlencoded';
const structured = 'application/cloudevents+json';

function read(mediaType: string, text: string | Buffer, headers: Readonly<Record<string, string>> = {}): unknown {
  return readHookContent({ mediaType, headers, bytes: Buffer.from(text) }).input;
}

function refusal(...given: Parameters<typeof read>): unknown {
  try {
    return read(...given);
  } catch (error) {
    const { code, details } = error as { code: string; details: { errors?: readonly { pointer: string }[] } };
    return [code, ...(details.errors ?? []).map(({ pointer }) => pointer)];
  }
}

test('a form is an object of texts, in which a name that comes again has an array', () => {
  const text = 'command=%2Fdeploy&text=a+b%2Bc&user%5Bname%5D=J%C3%BCrgen&empty=&bare&x=1&x=2&x=3&a=b=c&&';
  assert.deepEqual(read(form, text), {
    ...{ command: '/deploy', text: 'a b+c', 'user[name]': 'Jürgen', empty: '', bare: '' },
    ...{ x: ['1', '2', '3'], a: 'b=c' },
  });
  assert.deepEqual(read(form, ''), {});
  for (const wrong of [
    'a=%',
    'a=%FF',
    'a=%ED%A0%80',
    'a=%00',
    '__proto__=1',
    '%5F_proto__=1',
    Buffer.from([0x61, 0xff]),
  ])
    assert.deepEqual(refusal(form, wrong), ['invalid_request'], String(wrong));
  assert.deepEqual(refusal(form, 'a&'.repeat(50_001)), ['invalid_request']);
});

const attributes = { specversion: '1.0', id: '7', source: '/shop', type: 'order.paid' };

test('a CloudEvent is the same input in structured and in binary mode', () => {
  const event = { ...attributes, subject: 'Jürgen "J"', datacontenttype: 'application/json', data: { order: 17 } };
  const headers = {
    ...{ 'ce-specversion': '1.0', 'ce-id': '7', 'ce-source': '/shop', 'ce-type': 'order.paid' },
    ...{ 'ce-subject': 'J%C3%BCrgen%20%22J%22', 'content-type': 'application/json', 'ce-data': '1' },
  };
  const { 'ce-data': _, ...plain } = headers;
  assert.deepEqual(read(structured, JSON.stringify(event)), event);
  assert.deepEqual(read('application/json', '{"order":17}', plain), event);
  assert.deepEqual(read('application/json', '{"order":17}', headers), event, 'no header is taken for the data');
  assert.deepEqual(read(form, 'order=17', plain), { ...event, datacontenttype: form, data: { order: '17' } });
  const { data: _data, datacontenttype: _type, ...bare } = event;
  assert.deepEqual(read('application/json', '', plain), bare, 'an event needs no data');
  assert.deepEqual(
    read('application/json', '{"order":17}', { 'ce-id': '7' }),
    { order: 17 },
    'other headers say nothing',
  );
});

test('what is no CloudEvent of version 1.0 is refused with the attributes that are wrong', () => {
  const one = (changes: object) => refusal(structured, JSON.stringify({ ...attributes, ...changes }));
  assert.deepEqual(one({ specversion: '0.3' }), ['validation_failed', '/specversion']);
  assert.deepEqual(one({ id: 7, source: '' }), ['validation_failed', '/id', '/source']);
  assert.deepEqual(refusal(structured, '[]'), ['validation_failed', '/specversion', '/id', '/source', '/type']);
  assert.deepEqual(refusal('application/json', '{}', { 'ce-specversion': '1.0', 'ce-id': '1' }), [
    ...['validation_failed', '/source', '/type'],
  ]);
  const broken = { 'ce-specversion': '1.0', 'ce-id': '%', 'ce-source': '/', 'ce-type': 'a' };
  assert.deepEqual(refusal('application/json', '{}', broken), ['invalid_request']);
});

test('of a CloudEvent in binary mode the sender has signed the body alone', () => {
  const headers = { 'ce-specversion': '1.0', 'ce-id': '7', 'ce-source': '/', 'ce-type': 'a' };
  const bytes = Buffer.from('{"id":"signed"}');
  assert.deepEqual(readHookContent({ mediaType: 'application/json', headers, bytes }).body, { id: 'signed' });
});
