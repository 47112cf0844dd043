/** Files and pipelines of promotion: archives, keys, and calls with them. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type CallOptions, call, type Reply } from './call.ts';
import { manage, type Org } from './org.ts';
import { temporaryDirectory } from './platform.ts';
import type { Item, PatchOperation } from './promotion.ts';

export interface DeployKey {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string | null;
  readonly last_used_at?: string | null;
}

export interface CreatedKey extends DeployKey {
  readonly key: string;
}

export interface ImportReply {
  readonly base: string;
  readonly applied: boolean;
  readonly version?: number;
  readonly problems?: readonly (Partial<Item> & {
    readonly code: string;
    readonly message: string;
    readonly [detail: string]: unknown;
  })[];
  readonly refused?: ImportReply['problems'];
  readonly warnings?: readonly string[];
  readonly items: readonly (Item & {
    readonly change: string;
    readonly changes: readonly PatchOperation[];
    readonly summary: readonly string[];
  })[];
}

const archiveType = 'application/x-tar';

export function tryNewKey(org: Org, body: unknown, options: CallOptions = {}): Promise<Reply<CreatedKey>> {
  return manage<CreatedKey>(org, 'POST', '/deploy/keys', { body, ...options });
}

export async function newKey(org: Org, scope: string, name = `ci ${scope}`): Promise<CreatedKey> {
  const reply = await tryNewKey(org, { name, scope });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

export async function keys(org: Org): Promise<readonly DeployKey[]> {
  const reply = await manage<{ readonly items: readonly DeployKey[] }>(org, 'GET', '/deploy/keys');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

/** The archive as it comes; it is no text. */
export async function download(org: Org, token = org.builder.token, query = ''): Promise<Buffer> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${org.management}/deploy/export${query}`, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString());
  assert.equal(response.headers.get('content-type'), archiveType);
  return bytes;
}

export function tryImport(org: Org, archive: Uint8Array | string, query = '', token = org.builder.token) {
  const headers = { 'content-type': archiveType };
  return call<ImportReply>('POST', `${org.management}/deploy/import${query}`, { token, headers, body: archive });
}

export async function bring(
  org: Org,
  archive: Uint8Array,
  query = '',
  token = org.builder.token,
): Promise<ImportReply> {
  const reply = await tryImport(org, archive, query, token);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** A configuration as files of a repository, edited and packed by the programs of the system. */
export class Folder {
  readonly #path: string;

  constructor(path: string = temporaryDirectory()) {
    this.#path = path;
  }

  static of(archive: Buffer): Folder {
    const folder = new Folder();
    execFileSync('tar', ['xf', '-', '-C', folder.#path], { input: archive });
    return folder;
  }

  read(name: string): string {
    return readFileSync(join(this.#path, 'config', name), 'utf8');
  }

  edit(name: string, text: string): this {
    writeFileSync(join(this.#path, 'config', name), text);
    return this;
  }

  replace(name: string, from: string, to: string): this {
    return this.edit(name, this.read(name).replaceAll(from, to));
  }

  run(program: string, ...args: readonly string[]): string {
    return execFileSync(program, args, { cwd: this.#path, encoding: 'utf8' });
  }

  /** What a pipeline is given to run in it, with its keys. This process goes on meanwhile, and sees which connections end. */
  async promote(
    org: Org,
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number | null; readonly text: string }> {
    const script = join(import.meta.dirname, '..', '..', '..', 'examples', 'promote.sh');
    const settings = Object.entries({ FREEHOLD_MANAGEMENT_URL: org.management, ...env });
    const args = [...settings.map(([name, value]) => `${name}=${value}`), 'sh', script];
    const child = spawn('env', args, { cwd: this.#path, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { status, text: stdout + stderr };
  }

  packed(): Buffer {
    return execFileSync('tar', ['cf', '-', '-C', this.#path, 'config'], { maxBuffer: 64 * 1024 * 1024 });
  }
}
