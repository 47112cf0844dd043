/** A real nginx, where one is installed. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';

const program = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx'].find((path) =>
  existsSync(path),
);

/** Why no test with it is run; false where one is. */
export const whyNoNginx: string | false =
  (program === undefined || spawnSync(program, ['-v']).status !== 0) && 'not run: nginx is not installed';

/** Runs it in a folder of its own until the tests of this file have ended. What it says is given back as far as it has come. */
export async function runNginx(folder: string, ofHttp: string): Promise<{ readonly output: () => string }> {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const settings = `daemon off; master_process off; pid ${folder}/pid; error_log stderr info;
events {}
http {
  access_log off;
  ${kinds.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${ofHttp}
}`;
  mkdirSync(join(folder, 'logs'), { recursive: true });
  writeFileSync(join(folder, 'nginx.conf'), settings);
  const nginx = spawn(program ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  after(() => nginx.kill('SIGKILL'));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    nginx.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      // Logged once the sockets listen.
      if (output.includes('event method')) resolve();
    });
    nginx.once('exit', () => reject(new Error(`nginx did not start: ${output}`)));
  });
  return { output: () => output };
}
