import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkCode, codeRules } from './code-rules.ts';
import { iteratorRule } from './gate/iterator-rules.ts';
import { credulityRule, signatureRule } from './signature-rules.ts';
import { readSourceTree, sourcesUnder } from './source-tree.ts';
import { believedJsonRule, conflictRule } from './store-rules.ts';
import { nameRule } from './text-rules.ts';
import { waitingRules } from './waiting-rules.ts';

const rules = [
  ...codeRules,
  signatureRule,
  credulityRule,
  believedJsonRule,
  conflictRule,
  iteratorRule,
  nameRule,
  ...waitingRules,
];
const room = 'packages/server/src/lib';
const screens = 'packages/console/src/screens';
const verify = `import { jwtVerify } from 'jose';\n`;
const spec = 'packages/acceptance/src/a.test.ts';
const journey = 'packages/acceptance/src/browser/a.test.ts';
const timers = `import { setTimeout as pause } from 'node:timers/promises';\n`;
const crypto = `import { verify } from 'node:crypto';\n`;

describe('the code', () => {
  const sources = sourcesUnder(readSourceTree(join(import.meta.dirname, '..')), 'packages');
  // Each file is parsed once for all rules.
  const breaches = checkCode(sources, rules);
  for (const rule of rules) {
    it(`has ${rule.name}`, () => {
      assert.ok([...sources.keys()].some(rule.appliesTo), 'the rule applies to no file');
      assert.deepEqual(
        breaches.filter((breach) => breach.includes(` breaks "${rule.name}": `)),
        [],
      );
    });
  }
});

describe('the rules of the code', () => {
  const kept: readonly (readonly [path: string, source: string])[] = [
    [`${room}/long.ts`, 'export const a = 1;\n'.repeat(400)],
    [`${room}/long.test.ts`, 'export const a = 1;\n'.repeat(401)],
    [`${room}/a.ts`, `import { b } from './b.ts';\nexport { b } from './b.ts';\nexport const a = b;`],
    [`${room}/a.ts`, `import './b.ts';`],
    [`${room}/utility-model.ts`, 'export const a = 1;'],
    ['packages/server/src/config.ts', 'export const port = process.env.PORT;'],
    ['packages/acceptance/src/platform.ts', 'export const url = process.env.URL;'],
    [`${room}/a.ts`, 'export const pid = process.pid; export const env = request.env;'],
    [`${room}/a.ts`, `export const pattern = /^a+$/; new RegExp('^a+$');`],
    [`${room}/a.ts`, 'export function isPattern(value: RegExp | string) { return value instanceof RegExp; }'],
    [`${room}/a.ts`, `${verify}await jwtVerify(token, key, { algorithms: ['ES256'] });`],
    [
      `${room}/a.ts`,
      `${verify}const takes = ['RS256'] as const;\nawait jwtVerify(token, key, { ...rest, algorithms: [...takes] });`,
    ],
    [
      `${room}/a.ts`,
      `${verify}const algorithm = 'ES256';\nconst options = { algorithms: [algorithm] };\njwtVerify(token, key, options);`,
    ],
    [`${room}/a.ts`, `${crypto}verify('sha256', data, key, signature);`],
    [`${screens}/a.tsx`, `import { useState } from 'react';\nimport { lazy } from './lazy.ts';`],
    [`${room}/a.ts`, 'password.verify(text, hash);'],
    [`${room}/a.ts`, 'const value: unknown = JSON.parse(text);'],
    [`${room}/a.ts`, 'use(JSON.parse(text) as unknown);'],
    [`${room}/a.ts`, 'export function read(text: string): unknown { return JSON.parse(text); }'],
    [`${room}/a.test.ts`, 'const row = JSON.parse(text) as Row; refuse(error instanceof Conflict);'],
    ['packages/server/src/records/record.ts', 'export const data = JSON.parse(text) as Data;'],
    ['packages/server/src/store/transact.ts', 'if (error instanceof Conflict) again();'],
    [`${room}/a.ts`, 'class A { #known = new Map(); async f() { for (const one of [...this.#known]) await one; } }'],
    [`${room}/a.ts`, 'class A { #known = new Map(); f() { const [first] = this.#known.keys(); } }'],
    [spec, `await eventually('the end', async () => (await read()).isOver);`],
    [spec, 'for (;;) { const page = await read(token); if (page.nexttoken === null) break; }'],
    [spec, 'const timer = setTimeout(() => child.kill(), 1000); assert.ok(Date.parse(at) <= Date.now());'],
    [spec, `${timers}// wall time: longer than a worker waits.\nawait pause(11_000);\nassert.ok(isUp);`],
    [`${room}/a.test.ts`, `${timers}await pause(11);`],
    [`${room}/a.ts`, 'interface Task {}\nconst foundation = 1;\nconst understanding = known;'],
    ['packages/acceptance/src/eventually.ts', `${timers}while (!(await isSo())) await pause(5);`],
    ['packages/acceptance/src/soak/pace.ts', `${timers}await pause(50);`],
    [journey, 'await assertBecomes(() => row.count(), 2);\nassert.ok(!authorized.has(request.url()));'],
  ];
  for (const [path, source] of kept) {
    it(`allows in ${path}: ${firstWords(source)}`, () => {
      assert.deepEqual(checkCode(new Map([[path, source]]), rules), []);
    });
  }

  const broken: readonly (readonly [path: string, source: string, reason: RegExp])[] = [
    [`${room}/long.ts`, 'export const a = 1;\n'.repeat(401), /401 lines/],
    [`${room}/a.ts`, 'export default function a() {}', /no default export/],
    [`${room}/a.ts`, 'const a = 1;\nexport default a;', /no default export/],
    [`${room}/a.ts`, 'const a = 1;\nexport { a as default };', /no default export/],
    [`${room}/a.ts`, `export * from './b.ts';`, /only passes on/],
    [`${room}/a.ts`, `export type { B } from './b.ts';`, /only passes on/],
    [`${room}/a.ts`, `import { b } from './b.ts';\nexport { b };`, /only passes on/],
    [`${room}/key-utils.ts`, 'export const a = 1;', /says nothing/],
    [`${room}/store-manager.ts`, 'export const a = 1;', /says nothing/],
    [`${room}/test-helpers.ts`, 'export const a = 1;', /says nothing/],
    [`${room}/common.ts`, 'export const a = 1;', /says nothing/],
    [`${room}/a.ts`, 'export const port = process.env.PORT;', /environment/],
    [`${room}/a.ts`, `export const port = process['env'].PORT;`, /environment/],
    [`${room}/a.ts`, 'export const { env } = process;', /environment/],
    [`${room}/a.ts`, 'export const port = globalThis.process.env.PORT;', /environment/],
    [`${room}/a.ts`, `import { env } from 'node:process';\nexport const port = env.PORT;`, /environment/],
    ['packages/client/src/connect.ts', 'export const port = process.env.PORT;', /environment/],
    [`${room}/a.ts`, 'new RegExp(text);', /pattern made at run time/],
    [`${room}/a.ts`, 'RegExp(text);', /pattern made at run time/],
    [`${room}/a.ts`, `new RegExp('^' + text);`, /pattern made at run time/],
    [`${room}/a.ts`, 'const make = RegExp;', /pattern made at run time/],
    [`${room}/a.ts`, 'new globalThis.RegExp(text);', /pattern made at run time/],
    [`${room}/a.ts`, `${verify}await jwtVerify(token, key);`, /no literal `algorithms`/],
    [`${room}/a.ts`, `${verify}await jwtVerify(token, key, { issuer });`, /no literal `algorithms`/],
    [`${room}/a.ts`, `${verify}await jwtVerify(token, key, options);`, /no literal `algorithms`/],
    [`${room}/a.ts`, `${verify}await jwtVerify(token, key, { algorithms });`, /no literal `algorithms`/],
    [`${room}/a.ts`, `${verify}await jwtVerify(token, key, { algorithms: [] });`, /no literal `algorithms`/],
    [`${room}/a.ts`, `${verify}await jwtVerify(token, key, { algorithms: ['ES256'], ...rest });`, /no literal/],
    [
      `${room}/a.ts`,
      `${verify}await jwtVerify(token, key, { algorithms: ['ES256', 'HS256'] });`,
      /`HS256` can be forged/,
    ],
    [`${room}/a.ts`, 'await jose.compactVerify(token, key);', /no literal `algorithms`/],
    [`${room}/a.ts`, `import * as jose from 'jose';`, /all of jose/],
    [`${room}/a.ts`, `import { compactDecrypt } from 'jose';`, /compactDecrypt/],
    [`${room}/a.ts`, `import { jwtDecrypt as open } from 'jose';`, /jwtDecrypt/],
    [`${room}/a.ts`, `import { createRemoteJWKSet } from 'jose';`, /createRemoteJWKSet/],
    [`${room}/a.ts`, `import { EmbeddedJWK, errors } from 'jose';`, /EmbeddedJWK/],
    [`${room}/a.ts`, `import { jwtVerify as check } from 'jose';`, /under another name/],
    [`${room}/a.ts`, `${crypto}verify(header.alg, data, key, signature);`, /no literal/],
    [`${room}/a.ts`, `import crypto from 'node:crypto';\ncrypto.createVerify(name);`, /no literal/],
    [`${screens}/a.tsx`, `import { lazy, useState } from 'react';`, /but by `lazyPart`/],
    [`${screens}/a.tsx`, `import { lazy as later } from 'react';`, /but by `lazyPart`/],
    [`${screens}/a.tsx`, `const Panel = React.lazy(load);`, /but by `lazyPart`/],
    [`${room}/a.ts`, 'const row = JSON.parse(text) as Row;', /JSON text that is believed/],
    [`${room}/a.ts`, 'const row: Row = JSON.parse(text);', /JSON text that is believed/],
    [`${room}/a.ts`, 'const { id } = JSON.parse(text);', /JSON text that is believed/],
    [`${room}/a.ts`, 'policyOf(JSON.parse(text));', /JSON text that is believed/],
    [`${room}/a.ts`, 'if (error instanceof Conflict) again();', /conflict that is caught/],
    [`${room}/a.ts`, 'class A { #known = new Map(); #hand = this.#known.entries(); }', /iterator of a Map/],
    [`${room}/a.ts`, 'class A { turn() { this.#hand = this.#known[Symbol.iterator](); } }', /iterator of a Map/],
    [`${room}/a.ts`, 'class A { #of: Set<B>; async f() { for (const b of this.#of) await b; } }', /iterator of a Map/],
    [
      `${room}/a.ts`,
      'class A { #of = new Map(); async f() { for (const b of this.#of.keys()) await b; } }',
      /an await/,
    ],
    [spec, `${timers}await pause(20);\nassert.ok(isOver);`, /sleeps for a fixed time/],
    [spec, 'await new Promise((resolve) => setTimeout(resolve, 1200));', /sleeps for a fixed time/],
    [spec, `${timers}const step = 400;\nawait pause(step);`, /sleeps for a fixed time/],
    ['packages/server/src/store/postgres/a.postgres.test.ts', `${timers}await pause(20);`, /sleeps for a fixed time/],
    [journey, 'await page.waitForTimeout(500);', /sleeps for a fixed time/],
    [spec, 'while (!(await isReady()));', /but by `eventually`/],
    [
      spec,
      'let reply; do reply = await ask(); while ((await isBusy()) || reply.status === 409);',
      /but by `eventually`/,
    ],
    [spec, 'const begun = Date.now();\nassert.ok(Date.now() - begun < 9_000);', /how long something took/],
    [spec, 'const age = performance.now() - changedAt;\nassert.ok(age < limit);', /how long/],
    [spec, 'const [begun, ended] = times;\nconst at = Date.now();\nassert(at - begun < 60_000);', /how long/],
    [journey, 'assert.equal(await row.count(), 2);', /reads a page once/],
    [journey, `assert.match((await save.getAttribute('title')) ?? '', /no/);`, /reads a page once/],
    [journey, 'assert.match(page.url(), /q=ord$/);', /reads a page once/],
    // Each name is joined from two parts, so that a search for it finds no declaration here.
    ...['as' + 'ked', 'is' + 'To' + 'ld', 'st' + 'anding', 'vi' + 'sit', 'put' + 'Off', 'la' + 'neOf'].map(
      (name) => [`${room}/a.ts`, `const ${name} = 1;`, /the name/] as const,
    ),
    [`${room}/a.ts`, `function read({ ${'sa' + 'id'} }: Reply) {}`, /the name/],
    [`${room}/a.ts`, `interface ${'Ke' + 'ptRecord'} {}`, /the name/],
  ];
  for (const [path, source, reason] of broken) {
    it(`refuses in ${path}: ${firstWords(source)}`, () => {
      const sentences = checkCode(new Map([[path, source]]), rules);
      assert.equal(sentences.length, 1, sentences.join('\n'));
      assert.match(sentences[0] ?? '', reason);
    });
  }
});

function firstWords(source: string): string {
  const line = source.replaceAll('\n', ' ');
  return line.length > 90 ? `${line.slice(0, 90)}…` : line;
}
