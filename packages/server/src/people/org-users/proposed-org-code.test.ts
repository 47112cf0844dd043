import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proposeOrgCode } from '@freehold/contract/org-code';
import fc from 'fast-check';
import { isOrgCode } from './org-directory.ts';

test('the code that is proposed for an org has the letters of its name, and says which it leaves out', () => {
  const cases: readonly (readonly [name: string, code: string | undefined, leftOut: string])[] = [
    ['Café Überraschung & Söhne', 'cafeueberraschungsoehne', ''],
    ['Weiß', 'weiss', ''],
    ['WEIẞ', 'weiss', ''],
    ['Mu\u0308ller', 'mueller', ''],
    ['Ærø Łódź', 'aeroelodz', ''],
    ['株式会社 山田', undefined, '株式会社山田'],
    ['Acme 株式会社', 'acme', '株式会社'],
    ['3M', 'org3m', ''],
    ['X', 'orgx', ''],
    ['&', undefined, ''],
    ['ﬁne', 'fine', ''],
    ['İstanbul', 'istanbul', ''],
  ];
  for (const [name, code, leftOut] of cases) assert.deepEqual(proposeOrgCode(name), { code, leftOut }, name);
});

test('every code that is proposed is one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const { code } = proposeOrgCode(name);
      assert.ok(code === undefined || isOrgCode(code), name);
    }),
  );
});
