/**
 * The source files of the server in which a function runs for one request, by V8's coverage:
 *
 *   node bench/request-files.ts [--only item,create] [--functions]
 *
 * A request is sent again and again to a warm platform, and the files are kept that ran each time: what ran by chance
 * in between, such as a timer, is left out. The thread that writes to SQLite is not looked at.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Platform, startPlatform } from '../packages/acceptance/src/platform.ts';
import type { RanFile } from './report-functions.ts';
import { prepareScenarios, type Scenario, scenarioNames } from './scenarios.ts';

const source = join(import.meta.dirname, '..', 'packages', 'server', 'src');
const warmUps = 50;
const windows = 5;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, functions: { type: 'boolean' } } });
  const wanted = values.only?.split(',') ?? scenarioNames;
  const platform = await startPlatform({
    nodeFlags: ['--import', join(import.meta.dirname, 'report-functions.ts')],
    ipc: true,
  });
  try {
    const scenarios = await prepareScenarios(platform);
    for (const scenario of scenarios.filter(({ name }) => wanted.includes(name))) {
      for (let sent = 0; sent < warmUps; sent++) await send(platform, scenario);
      print(scenario, await filesOf(platform, scenario), values.functions === true);
    }
  } finally {
    await platform.terminate();
  }
}

/** The files that ran for every one of several requests, with the functions that did. */
async function filesOf(platform: Platform, scenario: Scenario): Promise<Files> {
  let kept: Files | undefined;
  for (let window = 0; window < windows; window++) {
    await ran(platform);
    await send(platform, scenario);
    const files = new Map((await ran(platform)).flatMap(ofServer));
    kept = kept === undefined ? files : inBoth(kept, files);
  }
  return kept ?? new Map();
}

type Files = ReadonlyMap<string, readonly string[]>;

function inBoth(one: Files, other: Files): Files {
  const kept = [...one].map(([path, names]) => {
    const also = new Set(other.get(path));
    return [path, names.filter((name) => also.has(name))] as const;
  });
  return new Map(kept.filter(([, names]) => names.length > 0));
}

async function ran({ child }: Platform): Promise<readonly RanFile[]> {
  const answer = once(child, 'message');
  child.send('functions');
  return ((await answer) as [readonly RanFile[]])[0];
}

function ofServer({ url, functions }: RanFile): readonly (readonly [string, readonly string[]])[] {
  const path = url.startsWith('file:') ? fileURLToPath(url) : '';
  return path.startsWith(source) ? [[path.slice(source.length + 1), functions]] : [];
}

async function send(platform: Platform, { method, path, token, body, status }: Scenario): Promise<void> {
  const reply = await fetch(new URL(path, platform.app), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  await reply.text();
  if (reply.status !== status) throw new Error(`${method} ${path} answered ${reply.status}`);
}

function print({ title }: Scenario, files: Files, withFunctions: boolean): void {
  console.log(`${title}: ${files.size} files`);
  const paths = [...files.keys()].toSorted();
  const modules = Map.groupBy(paths, (path) => path.split('/', 1)[0] ?? '');
  for (const [module, ofModule] of modules) {
    console.log(`  ${module}: ${ofModule.length}`);
    for (const path of ofModule) console.log(`    ${path}${withFunctions ? ` (${files.get(path)?.join(', ')})` : ''}`);
  }
}

await main();
