/** The command `freehold` as a builder runs it: a process of its own, in a project, with settings of a user's own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { after } from 'node:test';
import { launcher } from './launcher.ts';
import type { Org } from './org.ts';
import { temporaryDirectory } from './platform.ts';

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both. */
  readonly output: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What comes in by standard input, which is no terminal. */
  readonly input?: string;
  readonly nodeFlags?: readonly string[];
}

/** A project folder, and the settings folder of the user who works in it. */
export class CliProject {
  readonly root = temporaryDirectory();
  readonly settings = temporaryDirectory();

  async run(words: readonly string[], { env = {}, input = '', nodeFlags = [] }: RunOptions = {}): Promise<CommandRun> {
    const kept = Object.entries(process.env).filter(([name]) => !/^(FREEHOLD_|NODE_|XDG_)/.test(name));
    const child = spawn(process.execPath, [...nodeFlags, launcher, ...words], {
      cwd: this.root,
      env: { ...Object.fromEntries(kept), XDG_CONFIG_HOME: this.settings, ...env },
    });
    child.stdin.on('error', () => undefined).end(input);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr, output: stdout + stderr };
  }

  /** Runs what must end with this code. */
  async ends(code: number, words: readonly string[], options: RunOptions = {}): Promise<CommandRun> {
    const run = await this.run(words, options);
    assert.equal(run.code, code, `${words.join(' ')}\n${run.output}`);
    return run;
  }

  /** The document of `--json`. */
  async json<Document>(words: readonly string[], options: RunOptions = {}): Promise<Document> {
    const { stdout } = await this.run([...words, '--json'], options);
    return JSON.parse(stdout) as Document;
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }
}

/** A project of an org, signed in by this credential, with the configuration of test as files. */
export async function pulledProject(org: Org, key: string): Promise<CliProject> {
  const project = new CliProject();
  await project.ends(0, ['init', '--url', org.management, '--org', org.code]);
  await project.ends(0, ['login', '--key-stdin'], { input: `${key}\n` });
  await project.ends(0, ['pull']);
  return project;
}

/** The settings by which a session of a builder is used without a profile. */
export function sessionOf(org: Org, token = org.builder.token): Readonly<Record<string, string>> {
  return { FREEHOLD_TOKEN: token, FREEHOLD_URL: org.management, FREEHOLD_ORG: org.code };
}

export interface FakePlatform {
  readonly url: string;
  readonly requests: readonly { readonly method: string; readonly path: string; readonly body: Buffer }[];
}

/** A server that answers as this function says; for what no platform of this version does. */
export async function fakePlatform(
  answer: (request: IncomingMessage, body: Buffer) => { readonly status?: number; readonly body: Buffer | object },
): Promise<FakePlatform> {
  const requests: { method: string; path: string; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    requests.push({ method: request.method ?? '', path: request.url ?? '', body: sent });
    const { status = 200, body } = answer(request, sent);
    const isTar = Buffer.isBuffer(body);
    response.writeHead(status, { 'content-type': isTar ? 'application/x-tar' : 'application/json' });
    response.end(isTar ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** An entry of an archive, as a hostile one may have it. */
export interface TarEntry {
  readonly name: string;
  readonly content?: string;
  readonly kind?: string;
  readonly link?: string;
  /** The size that the header says, where it is another one. */
  readonly size?: number;
}

export const manifestEntry: TarEntry = { name: 'config/freehold.json', content: '{"format":1}' };

export function tarOf(...entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(tarEntry), Buffer.alloc(1024)]);
}

function tarEntry({ name, content = '{}', kind = '0', link = '', size }: TarEntry): readonly Buffer[] {
  const body = Buffer.from(content);
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('0000600\0', 100);
  block.write(`${(size ?? body.length).toString(8).padStart(11, '0')}\0`, 124);
  block.write(kind, 156);
  block.write(link, 157);
  block.write('ustar\x0000', 257);
  block.write(' '.repeat(8), 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [block, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
}
