/** The command of builders as a script runs it: words, an environment, a folder, and what comes out. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { launcher } from './launcher.ts';
import type { Org } from './org.ts';

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The reply of `--json`. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface CliOptions {
  readonly cwd: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The environment of a builder who is signed in to the org, and of no other setting of this machine. */
export function signedIn(org: Org): Readonly<Record<string, string>> {
  return {
    FREEHOLD_URL: org.management,
    FREEHOLD_APP_URL: org.app,
    FREEHOLD_ORG: org.code,
    FREEHOLD_TOKEN: org.builder.token,
  };
}

export function startCli(words: readonly string[], { cwd, env = {} }: CliOptions) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('FREEHOLD_') && !name.startsWith('NODE_'),
  );
  return spawn(process.execPath, [launcher, ...words], {
    cwd,
    env: { ...Object.fromEntries(kept), HOME: cwd, XDG_CONFIG_HOME: join(cwd, '.config'), ...env },
    stdio: 'pipe',
  });
}

export function cli(words: readonly string[], options: CliOptions): Promise<CliRun> {
  const child = startCli(words, options);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that reads nothing may be gone before its input is.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, stdout, stderr, json: words.includes('--json') ? parsed(stdout) : {} });
    });
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`no JSON: ${text}`);
  }
}

const folders = new Set<string>();
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** A folder of the test's own with these files, which is removed when the process ends. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-cli-'));
  folders.add(folder);
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Resolves when the stream has said this after the call. @throws where it ends before. */
export function until(stream: NodeJS.ReadableStream, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (chunk: Buffer | string) => {
      text += String(chunk);
      if (!text.includes(words)) return;
      stream.off('data', take);
      stream.off('end', ended);
      resolve(text);
    };
    const ended = () => reject(new Error(`the command ended without saying \`${words}\`: ${text}`));
    stream.on('data', take);
    stream.once('end', ended);
  });
}
