/** A platform as a process, for tests that treat its database badly. Only tests may use it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const program = join(import.meta.dirname, '..', '..', '..', 'main.ts');

/** A test, or a measurement. */
interface WithCleanUp {
  after(work: () => unknown): void;
}

/** Starts the platform as its operator would, and waits until it says where it listens. */
export async function startPlatform(t: WithCleanUp, places: Readonly<Record<string, string>>) {
  const env = { ...places, FREEHOLD_APP_PORT: '0', FREEHOLD_MANAGEMENT_PORT: '0' };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`the platform ended: ${output.stderr}`)));
  failed.catch(() => undefined);
  for (child.stdout.setEncoding('utf8'); !output.stdout.includes('\n'); )
    output.stdout += String((await Promise.race([once(child.stdout, 'data'), failed]))[0]);
  const [, app = '', management = ''] = /^ready app=(\S+) management=(\S+)$/m.exec(output.stdout) ?? [];
  return { app, management, output, child };
}

export function signUp(management: string, name: string): Promise<Response> {
  const body = { email: `${name}@example.com`, password: 'correct horse battery', name, org_name: name };
  const headers = { 'content-type': 'application/json' };
  return fetch(`${management}/auth/signup`, { method: 'POST', headers, body: JSON.stringify(body) });
}
