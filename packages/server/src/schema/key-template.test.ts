import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../store/testing/quick.ts';
import { orgScopeName, workspaceOrg, workspaceScopeName } from '../tenancy/workspace.ts';
import {
  defaultTemplates,
  escapeKeyValue,
  fillTemplate,
  type KeyTemplate,
  mayOverlap,
  mayStartWith,
  parseTemplate,
  readTemplate,
} from './key-template.ts';

test('a filled key is the template with its values in place', () => {
  const template = parsed('org#{org};data#order');
  assert.deepEqual(fillTemplate(template, fromTable({ org: 'acme-main' })), { key: 'org#acme-main;data#order' });
});

test('the default templates give the keys of the document', () => {
  assert.deepEqual(defaultTemplates('order'), { pkTemplate: 'org#{org};data#order', skTemplate: 'order#{id}' });
});

test('a value that holds `%`, `#`, `;` or a control is escaped, everything else stands as it is', () => {
  assert.equal(escapeKeyValue('a#b;c%d\u0001\n\u007f'), 'a%23b%3Bc%25d%01%0A%7F');
  const plain = 'Aé😀 _-.~:/?<>@[]{}"\'\u0080';
  assert.equal(escapeKeyValue(plain), plain);
});

test('numbers and booleans are written as their texts', () => {
  const template = parsed('{a}#{b}');
  assert.deepEqual(fillTemplate(template, fromTable({ a: -1.5, b: false })), { key: '-1.5#false' });
  assert.deepEqual(fillTemplate(template, fromTable({ a: 0, b: 1e300 })), { key: '0#1e+300' });
});

test('a token without a value is named, never written as `undefined` or left out', () => {
  const template = parsed('{a}#{b}#{c}');
  assert.deepEqual(fillTemplate(template, fromTable({ a: 'x', c: 'y' })), { missing: 'b' });
  assert.deepEqual(fillTemplate(template, fromTable({ a: 'x', b: '', c: 'y' })), { missing: 'b' });
});

const refused: readonly (readonly [source: string, problem: RegExp])[] = [
  ['{a}{b}', /between `\{a\}` and `\{b\}`/],
  ['{a}-{b}', /between `\{a\}` and `\{b\}`/],
  ['{a}#{b}x{c}', /between `\{b\}` and `\{c\}`/],
  ['{}', /empty/],
  ['{a', /unmatched/],
  ['a}', /unmatched/],
  ['{{a}}', /unmatched/],
  ['}{', /unmatched/],
  ['a\u0000', /control/],
  ['a\nb', /control/],
  ['\u007f', /control/],
];

for (const [source, problem] of refused)
  test(`the template ${JSON.stringify(source)} is refused with a reason`, () => {
    const template = parseTemplate(source);
    assert.ok(typeof template === 'string');
    assert.match(template, problem);
  });

test('no two sets of values give one key, whatever the values hold', () => {
  const property = fc.property(templateAndValues, templateValues, (filled, others) => {
    const { template, values } = filled;
    const other = Object.fromEntries(template.tokens.map((token, index) => [token, others[index] ?? 'x']));
    const same = template.tokens.every((token) => values[token] === other[token]);
    assert.equal(keyOf(template, values) === keyOf(template, other), same);
  });
  fc.assert(property, { numRuns: thinned(3000) });
});

test('two values that differ only in one nasty character give two keys', () => {
  const template = parsed('a#{x};b#{y}');
  const seen = new Map<string, string>();
  const pieces = ['', '#', ';', '%', '%23', '%3B', '%25', ';b#', '\u0001', '%01'];
  for (const x of pieces)
    for (const y of pieces) {
      const key = keyOf(template, { x: `v${x}`, y: `${y}w` });
      assert.equal(seen.get(key), undefined, `${x} ${y} and ${seen.get(key)}`);
      seen.set(key, `${x} ${y}`);
    }
});

test('of all short values that are made of nasty pieces no two pairs give one key', () => {
  const pieces = ['a', '#', ';', '%', '%23', '2', '3B'];
  const short = ['', ...pieces, ...pieces.flatMap((one) => pieces.map((other) => one + other))];
  const values = [...new Set([...short, ...pieces.flatMap((one) => short.map((other) => one + other))])];
  for (const source of ['{x}#{y}', 'org#{x};%23#{y}#']) {
    const template = parsed(source);
    const given = values.filter((value) => value !== '');
    const keys = new Set(given.flatMap((x) => given.map((y) => keyOf(template, { x, y }))));
    assert.equal(keys.size, given.length ** 2, source);
  }
});

test('of a million pairs of values that differ by a character that moved none gives one key', () => {
  const random = createRandom(20_261_120);
  const signs = ['a', 'b', '#', ';', '%', '2', '3', 'B', '\u0001', '\u007f', 'é', '😀'];
  const sign = () => signs[random(signs.length)] ?? 'a';
  const text = () => {
    let made = sign();
    for (let more = random(4); more > 0; more--) made += sign();
    return made;
  };
  const template = parsed('org#{org};data#order;{x}#{y}');
  const pairs = thinned(1_000_000);
  for (let pair = 0; pair < pairs; pair++) {
    const [x, y] = [text(), text()];
    const joined = x + y;
    const cut = 1 + random(joined.length - 1);
    const other = pair % 2 === 0 ? { x: joined.slice(0, cut), y: joined.slice(cut) } : { x, y: y + sign() };
    if (x === other.x && y === other.y) continue;
    const org = 'acme-main';
    if (keyOf(template, { org, x, y }) === keyOf(template, { org, ...other }))
      assert.fail(`${x} ${y} ${other.x} ${other.y}`);
  }
});

test('no two workspaces have one name, whatever the codes of org and tenant', () => {
  const words = (signs: string, lengthMax: number): readonly string[] => {
    if (lengthMax === 0) return [''];
    const shorter = words(signs, lengthMax - 1);
    return [...new Set([...shorter, ...shorter.flatMap((word) => [...signs].map((sign) => word + sign))])];
  };
  const orgs = words('ab0', 4).filter((code) => /^[a-z][a-z0-9]{1,31}$/.test(code));
  const tenants = words('a0-', 5).filter((code) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(code));
  const pairs = orgs.flatMap((orgCode) => tenants.map((tenantCode) => ({ orgCode, tenantCode })));
  assert.equal(new Set(pairs.map(workspaceOrg)).size, pairs.length);
  const scopes = pairs.map(({ orgCode, tenantCode }) => workspaceScopeName(orgCode, tenantCode));
  assert.equal(new Set([...scopes, ...orgs.map(orgScopeName)]).size, pairs.length + orgs.length);
});

test('the values read from a key are those it was filled with', () => {
  const property = fc.property(templateAndValues, ({ template, values }) => {
    const key = keyOf(template, values);
    const read = readTemplate(template, key);
    assert.deepEqual(Object.fromEntries(read), values);
    assert.equal(keyOf(template, Object.fromEntries(read)), key);
  });
  fc.assert(property, { numRuns: thinned(3000) });
});

test('templates whose filled keys coincide are always seen to overlap', () => {
  const property = fc.property(templateAndValues, templateAndValues, (left, right) => {
    if (keyOf(left.template, left.values) !== keyOf(right.template, right.values)) return;
    assert.ok(mayOverlap(left.template, right.template));
    assert.ok(mayOverlap(right.template, left.template));
  });
  fc.assert(property, { numRuns: thinned(20_000) });
});

test('a template that another one can imitate with a value is seen to overlap', () => {
  const property = fc.property(templateAndValues, fc.nat(), ({ template, values }, pick) => {
    const key = keyOf(template, values);
    fc.pre(!/[{}]/.test(key));
    const segments = key.split(/(?<=[#;])/);
    const chosen = pick % segments.length;
    const imitation = parsed(
      segments.map((segment, index) => (index === chosen ? segment.replace(/^[^#;]+/, '{any}') : segment)).join(''),
    );
    const value = /^[^#;]+/.exec(segments[chosen] ?? '')?.[0];
    if (value !== undefined) assert.equal(keyOf(imitation, { any: decodeURIComponent(value) }), key);
    assert.ok(mayOverlap(template, imitation));
  });
  fc.assert(property, { numRuns: thinned(3000) });
});

test('a template that can start with the beginning of another key is always seen to', () => {
  const property = fc.property(templateAndValues, templateAndValues, fc.nat(), (left, right, pick) => {
    const segments = keyOf(left.template, left.values).split(/(?<=[#;])/);
    const start = segments.slice(0, 1 + (pick % segments.length)).join('');
    if (!/[#;]$/.test(start) || !keyOf(right.template, right.values).startsWith(start)) return;
    assert.ok(mayStartWith(right.template, start));
  });
  fc.assert(property, { numRuns: thinned(20_000) });
  assert.ok(mayStartWith(parsed('a#b#{id}'), 'a#'));
  assert.ok(mayStartWith(parsed('{x}#{id}'), 'a#'));
  assert.equal(mayStartWith(parsed('a;{id}'), 'a#'), false);
  assert.equal(mayStartWith(parsed('ab#{id}'), 'a#'), false);
  assert.equal(mayStartWith(parsed('{id}'), 'a#'), false);
});

const apart: readonly (readonly [string, string])[] = [
  ['order#{id}', 'invoice#{id}'],
  ['org#{org};data#order', 'org#{org};data#orders'],
  ['a#{id}', 'a#b#{id}'],
  ['a{x}', 'b{x}'],
  ['{x}a', '{x}b'],
];

for (const [left, right] of apart)
  test(`\`${left}\` and \`${right}\` never give one key`, () => {
    assert.equal(mayOverlap(parsed(left), parsed(right)), false);
    assert.equal(mayOverlap(parsed(right), parsed(left)), false);
  });

interface Filled {
  readonly template: KeyTemplate;
  readonly values: Readonly<Record<string, string>>;
}

const character = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', '#', ';', '%', '2', '3', 'B', '{', '}', '\u0001', '\u007f') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const tokenValue = fc.array(character, { minLength: 1, maxLength: 4 }).map((characters) => characters.join(''));
const templateValues = fc.array(tokenValue, { minLength: 4, maxLength: 4 });

const literal = fc.constantFrom('', 'a', 'ab', 'é', '%23');
const delimiter = fc.constantFrom('#', ';', '#a', 'a;', ';a#', '#;', 'b#a');

/** Up to four tokens, some of them the same, with literals around them; and a value for each. */
const templateAndValues: fc.Arbitrary<Filled> = fc
  .tuple(
    literal,
    fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), delimiter), { minLength: 1, maxLength: 4 }),
    literal,
    templateValues,
  )
  .map(([start, middle, end, given]) => {
    const tokens = middle.map(([token, after], index) => `{${token}}${index === middle.length - 1 ? '' : after}`);
    const template = parsed(`${start}${tokens.join('')}${end}`);
    const values = Object.fromEntries(template.tokens.map((token, index) => [token, given[index] ?? 'x']));
    return { template, values };
  });

/** Whole numbers below a bound, the same ones in each run (xorshift32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function parsed(source: string): KeyTemplate {
  const template = parseTemplate(source);
  assert.ok(typeof template !== 'string', `${source} ${String(template)}`);
  return template;
}

function keyOf(template: KeyTemplate, values: Readonly<Record<string, string>>): string {
  const filled = fillTemplate(template, fromTable(values));
  assert.ok(filled !== 'too long' && 'key' in filled);
  return filled.key;
}

function fromTable(values: Readonly<Record<string, string | number | boolean>>) {
  return (token: string): string | number | boolean | undefined => values[token];
}
