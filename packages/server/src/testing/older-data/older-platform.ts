/** Platforms on data that earlier versions wrote. Only tests may use it. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { type ComposeOptions, compose } from '../../composition/compose.ts';
import { readConfig } from '../../config.ts';
import { drain, listen } from '../../gateway/listener.ts';
import { patient as limits } from '../../gateway/testing/patient.ts';
import type { Clock } from '../../lib/clock.ts';
import { fastPasswordCost } from '../../people/testing/fast-passwords.ts';
import type { Answers, RecordedRequest } from './asks.ts';
import { call, type Gateways, operatorKey } from './calls.ts';

const fixtures = import.meta.dirname;

export const fixtureVersions: readonly number[] = readdirSync(fixtures)
  .filter((name) => /^\d+$/.test(name))
  .map(Number)
  .toSorted((left, right) => left - right);

/** Puts the data into the folder. */
export async function unpackFixture(version: number | 'waiting', dataDir: string): Promise<void> {
  const file = `${dataDir}.tar`;
  if (!existsSync(file)) writeFileSync(file, brotliDecompressSync(readFileSync(fileOf(version, 'data.tar.br'))));
  await restoreBackup({ file, dataDir });
}

export function answersOf(version: number): Answers {
  return JSON.parse(brotliDecompressSync(readFileSync(fileOf(version, 'answers.json.br'))).toString());
}

function fileOf(version: number | 'waiting', name: string): string {
  return join(fixtures, String(version), name);
}

/** Stands at when all was asked, however long a busy machine asks again. */
export function clockOf({ asked_at }: Answers): Clock {
  const now = Date.parse(asked_at);
  return { now: () => now };
}

export interface OlderPlatform extends Gateways {
  close(): Promise<void>;
}

/** Starts a platform in this process, where the settings say. @param openSpace see `compose`. */
export async function startOn(
  env: Readonly<Record<string, string>>,
  clock: Clock,
  openSpace?: ComposeOptions['openSpace'],
): Promise<OlderPlatform> {
  const read = readConfig({ FREEHOLD_OPERATOR_KEY: operatorKey, ...env });
  assert.ok('config' in read, JSON.stringify(read));
  const faults: unknown[] = [];
  const platform = await compose({
    config: read.config,
    clock,
    passwordCost: fastPasswordCost,
    ...(openSpace && { openSpace }),
    onFault: (error) => faults.push(error),
    onFatal: (error) => faults.push(error),
  });
  const errors = platform.errors(() => 'http://127.0.0.1');
  const app = await listen({ host: '127.0.0.1', port: 0, gateway: platform.app, errors, limits });
  const management = await listen({ host: '127.0.0.1', port: 0, gateway: platform.management, errors, limits });
  return {
    app: app.url,
    management: management.url,
    close: async () => {
      await drain([app, management], 0);
      await platform.close();
      assert.deepEqual(faults, []);
    },
  };
}

/** What is answered otherwise than it was. What is answered beside that counts for nothing. */
export async function differencesOf(gateways: Gateways, answers: Answers): Promise<readonly string[]> {
  const found: string[] = [];
  for (const request of answers.requests) {
    const caller = answers.callers[request.who];
    assert.ok(caller !== undefined);
    const { method, path, body, headers } = request;
    const sent = { body, headers: { ...caller.headers, ...headers } };
    const reply = await call(method, `${gateways[caller.gateway]}${path}`, sent);
    const name = `${request.who} ${method} ${path}`;
    if (reply.status === request.status) found.push(...missingIn(reply.body, request, name));
    else found.push(`${name}: ${reply.status} instead of ${request.status}: ${JSON.stringify(reply.body)}`);
  }
  return found;
}

/** What differs from call to call, what keeps being counted, and the sentences of checks and settings: their wording may change. */
const ofTheMoment =
  /\/(request_id|decision_id|last_used_at|last_seen_at|type|url|upgrade_url|api_calls|by_workspace|alerts|used|checks\/\d+\/message|settings\/items\/\w+\/description)$/;

/**
 * Answers that a later release gives otherwise by intent: the matrix says more exactly what depends on conditions, and
 * differences of workspace templates are a sentence for each policy and group.
 */
const sharpened = /^builder GET \/(?:acl\/matrix\?.*\/conditional|deploy\/history\/.*\/diff\/\d+\/summary)$/;

function mayDiffer(pointer: string): boolean {
  return ofTheMoment.test(pointer) || sharpened.test(pointer);
}

/** The routes of an entity, their parameters, and the settings: a release may add others. */
const catalog = /\/endpoints(\/\w+\/params)?$|\/org\/settings\/items$/;

function byName(parts: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Array.isArray(parts) ? parts.map((part) => [part.action ?? part.name, part]) : []);
}

function missingIn(now: unknown, { answer }: RecordedRequest, name: string): readonly string[] {
  const found: string[] = [];
  compare(answer, now, name);
  return found;

  function compare(before: unknown, after: unknown, pointer: string): void {
    const [was, is] = catalog.test(pointer) ? [byName(before), byName(after)] : [before, after];
    if (mayDiffer(pointer)) return;
    if (typeof was !== 'object' || was === null) {
      if (linesOf(was) !== linesOf(is))
        found.push(`${pointer}: ${JSON.stringify(is)} instead of ${JSON.stringify(was)}`);
      return;
    }
    if (Array.isArray(was) && (!Array.isArray(is) || is.length !== was.length)) {
      found.push(`${pointer}: ${JSON.stringify(is)?.slice(0, 200)} instead of ${was.length} items`);
      return;
    }
    for (const [key, value] of Object.entries(was)) {
      const other: unknown = typeof is === 'object' && is !== null ? Reflect.get(is, key) : undefined;
      compare(value, other, `${pointer}/${key}`);
    }
  }
}

/** Lines of a file come in the order in which they were counted. */
function linesOf(value: unknown): unknown {
  return typeof value === 'string' ? value.split('\n').toSorted().join('\n') : value;
}
