/** What generators make of the documents compiles, and its types lead to what the platform answers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { call } from '../call.ts';
import { appUrl, defineEntity, definition, newEmail, signIn, signUp } from '../org.ts';
import { platformOfFile } from '../platform-for-tests.ts';
import type { Calls } from './use/calls.ts';

const run = promisify(execFile);
const packages = join(import.meta.dirname, 'node_modules');
const compiler = join(import.meta.dirname, '../../../../node_modules/typescript-native/bin/tsc');
const base = mkdtempSync(join(tmpdir(), 'freehold-generators-'));
after(() => rmSync(base, { recursive: true }));

const org = await signUp(await platformOfFile(), 'acme');
await defineEntity(org, {
  ...definition('ticket', [
    { name: 'title', validate: true },
    { name: 'state', colType: 'enum', enumValues: ['open', 'done'], validate: true, default: 'open' },
  ]),
  Views: { summary: { fields: [{ name: 'id' }, { name: 'title', as: 'heading' }] } },
});
// Its schema would be called like an operation on the other one.
await defineEntity(org, definition('create_ticket', [{ name: 'by', colType: 'guid', lookup: { entity: 'ticket' } }]));
const { email, password } = org.builder;
const founder = await signIn(org, newEmail('founder'));
const person = { client_id: org.clientId, email: founder.email, password: founder.password };
const { token } = founder;
const documents = {
  app: (await call('GET', appUrl(org, '/openapi.json'), { token })).text,
  summary: (await call('GET', appUrl(org, '/openapi.json?view=summary'), { token })).text,
  management: (await call('GET', `${org.management}/openapi.json`)).text,
};

/** The arguments of each program, for a document and the folder that its client is made in. */
const generators: Readonly<Record<string, (document: string, folder: string) => readonly string[]>> = {
  'openapi-typescript': (document, folder) => ['openapi-typescript', document, '-o', join(folder, 'index.ts')],
  'hey-api': (document, folder) => [
    ...['openapi-ts', '-i', document, '-o', folder],
    ...['-c', '@hey-api/client-fetch', '--silent', '--no-log-file'],
  ],
  orval: (document, folder) => [
    'orval',
    '--input',
    document,
    '--output',
    join(folder, 'client.ts'),
    '--client',
    'fetch',
  ],
  // It reads the two from its environment.
  kubb: () => ['kubb', 'generate', '--config', join(import.meta.dirname, 'kubb.config.mjs')],
  'swagger-typescript-api': (document, folder) => [
    ...['swagger-typescript-api', 'generate', '-p', document, '-o', folder],
    ...['-n', 'client.ts', '--silent'],
  ],
  oazapfts: (document, folder) => ['oazapfts', document, join(folder, 'client.ts')],
};

const options = {
  strict: true,
  noEmit: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'preserve',
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: [],
};

for (const [name, argumentsOf] of Object.entries(generators))
  test(`${name} makes clients of the documents that compile, and whose types lead to what is answered`, async () => {
    const home = join(base, name);
    mkdirSync(home);
    symlinkSync(packages, join(home, 'node_modules'));
    const read = Object.entries(documents).filter(([of]) => of !== 'summary' || name === 'openapi-typescript');
    for (const [of, text] of read) {
      const [document, folder] = [join(home, `${of}.json`), join(home, of)];
      writeFileSync(document, text);
      mkdirSync(folder);
      const [program = '', ...rest] = argumentsOf(document, folder);
      const env = { ...process.env, DOCUMENT: document, FOLDER: folder };
      await run('node', [join(packages, '.bin', program), ...rest], { cwd: home, env });
    }
    const use = join(home, 'use');
    mkdirSync(use);
    for (const file of ['calls.ts', `${name}.ts`]) cpSync(join(import.meta.dirname, 'use', file), join(use, file));
    const include = ['use', ...read.map(([of]) => of)];
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include }));
    await run('node', [compiler, '-p', home]).catch(({ stdout }) => assert.fail(String(stdout).slice(0, 5000)));
    const { callsAt, ...others } = await bundled(join(use, `${name}.ts`));
    const calls = callsAt(org.app);
    assert.match(await calls.signIn(person), /^ey/);
    const { id, title } = await calls.create(name);
    const shown = await calls.get(id);
    const updated = await calls.update(id, `${name} again`);
    assert.deepEqual(
      [title, shown.title, updated.title, await calls.firstTitle()],
      [name, name, `${name} again`, `${name} again`],
    );
    assert.equal(await others.summarize?.(org.app, token, id), others.summarize && `${name} again`);
    assert.equal(await others.readOrgCode?.(org.management, { email, password }), others.readOrgCode && 'acme');
  });

interface Used {
  callsAt(baseUrl: string): Calls;
  summarize?(baseUrl: string, token: string, id: string): Promise<string | undefined>;
  readOrgCode?(baseUrl: string, builder: { readonly email: string; readonly password: string }): Promise<string>;
}

/** As one file, since generators name files without their ends, and write enums. */
async function bundled(input: string): Promise<Used> {
  const file = input.replace(/\.ts$/, '.mjs');
  await build({ input, platform: 'node', output: { file }, logLevel: 'silent' });
  return (await import(pathToFileURL(file).href)) as Used;
}
