/** The examples of the reference, as the site shows them: each call is sent, and answered as its route says. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { root, withAddressesOf } from './guide-shell.ts';
import { create, defineEntity, foundedOrg } from './org.ts';
import { temporaryDirectory } from './platform.ts';
import { platformOfFile } from './platform-for-tests.ts';

const run = promisify(execFile);
const operatorKey = 'operator-key-of-the-reference-test';
const platform = await platformOfFile({ env: { FREEHOLD_OPERATOR_KEY: operatorKey } });

interface Route {
  readonly name: string;
  readonly gateway: 'app' | 'management';
  /** The callers that may call it. */
  readonly access: string;
  readonly statuses: readonly number[];
  readonly examples: Readonly<Record<string, string>>;
}

let routes: readonly Route[] = [];

before(async () => {
  const folder = join(temporaryDirectory(), 'site');
  await run(process.execPath, [join(root, 'packages', 'docs', 'build', 'build.ts'), folder]);
  routes = globSync('api/*/*.html', { cwd: folder })
    .toSorted()
    .flatMap((path) =>
      routesOf(readFileSync(join(folder, path), 'utf8'), path.startsWith('api/app') ? 'app' : 'management'),
    );
});

function routesOf(html: string, gateway: Route['gateway']): readonly Route[] {
  return html
    .split('<section class="route" id="')
    .slice(1)
    .map((section) => ({
      name: section.slice(0, section.indexOf('"')),
      gateway,
      access: /class="access"[^>]*>(\w+)</.exec(section)?.[1] ?? '',
      statuses: [...section.matchAll(/class="status">(\d+)</g)].map(([, status]) => Number(status)),
      examples: Object.fromEntries(
        [...section.matchAll(/<pre [^>]*data-example="([^"]+)">(.*?)<\/pre>/gs)].map(([, title = '', code = '']) => [
          title,
          textOf(code),
        ]),
      ),
    }));
}

function textOf(html: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return html.replaceAll(/<[^>]+>/g, '').replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name] ?? '');
}

/** What ends the session or the account that the others call by comes last. */
function isLast({ name }: Route): boolean {
  return /logOut|endTokens|assword|endSession|leave|delete|revoke|remove/i.test(name);
}

async function stage() {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, {
    entityName: 'order',
    UpdateParams: [
      { name: 'title', validate: true, minlength: 1, maxlength: 80 },
      { name: 'status', colType: 'enum', enumValues: ['open', 'paid'], default: 'open', index: true },
      { name: 'amount', colType: 'number', validate: true, min: 0, index: true },
    ],
  });
  const { id } = await create(founder, 'order', { title: 'Lamp', amount: 40 });
  const here = (text: string) =>
    withAddressesOf(platform, text)
      .replaceAll(/\bacme\b/g, org.code)
      .replaceAll('CLIENT_ID', org.clientId)
      // That of the example reply, and what stands for an id where there is none.
      .replaceAll(/\b(?:01900000-0000-7000-8000-000000000001|00000000-0000-0000-0000-000000000000)\b/g, id);
  return { org, founder, here };
}

test('each call for a shell is answered with a status that its route documents', async () => {
  const { org, founder, here } = await stage();
  const answered = new Map<string, number>();
  assert.ok(routes.length > 140);
  for (const route of [...routes].sort((one, other) => Number(isLast(one)) - Number(isLast(other)))) {
    const token =
      route.access === 'operator' ? operatorKey : route.gateway === 'app' ? founder.token : org.builder.token;
    const command = here(route.examples.curl ?? assert.fail(`${route.name} has no example`)).replace(
      'TOKEN=…',
      `TOKEN='${token}'`,
    );
    const { stdout } = await run('sh', ['-eu', '-c', `${command} --max-time 60 -s`]);
    const status = Number(/^HTTP\/1\.1 (?!100)(\d+)/m.exec(stdout)?.[1]);
    answered.set(`${route.gateway} ${route.name}`, status);
    assert.ok(route.statuses.includes(status), `${route.name} answered ${status}:\n${command}\n${stdout}`);
  }
  const counted = (from: number, to: number) =>
    [...answered.values()].filter((status) => status >= from && status < to).length;
  assert.equal(counted(500, 600), 0);
  // Most examples succeed as they are; others name an object that is not there.
  assert.ok(counted(200, 300) > 60, `${counted(200, 300)} of ${answered.size} succeeded`);
  for (const name of [
    'app listOrder',
    'app createOrder',
    'app getOrder',
    'app updateOrder',
    'app logIn',
    'management listEntities',
  ])
    assert.ok((answered.get(name) ?? 0) < 300, `${name} answered ${answered.get(name)}`);
});

test('the programs for records run with the client as they are shown', async () => {
  const { founder, here } = await stage();
  const programs = routes.filter(({ name, examples }) => /Order$/.test(name) && '@freehold/client' in examples);
  const names = ['createOrder', 'getOrder', 'updateOrder', 'listOrder', 'countOrder', 'deleteOrder'];
  assert.deepEqual(
    names.filter((name) => !programs.some((program) => program.name === name)),
    [],
  );
  for (const name of names) {
    const shown = programs.find((program) => program.name === name)?.examples['@freehold/client'] ?? '';
    const program = here(shown)
      .replace('you@example.com', founder.email)
      .replace("password: '…'", `password: '${founder.password}'`);
    const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '-e', program], { cwd: root });
    if (name === 'getOrder' || name === 'updateOrder' || name === 'listOrder') assert.match(stdout, /Lamp|text/, name);
    if (name === 'countOrder') assert.match(stdout, /^2$/m);
  }
});
