/**
 * Runs a command with a platform that ends with it, for the tests that need none of their own: to start one for each
 * file takes longer than most files. They find it in FREEHOLD_TEST_APP_URL and FREEHOLD_TEST_MANAGEMENT_URL; where
 * these name one already, none is started.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startPlatform } from './platform.ts';

async function main([command = '', ...words]: readonly string[]): Promise<number> {
  const named = process.env.FREEHOLD_TEST_APP_URL !== undefined;
  const platform = named ? undefined : await startPlatform();
  let isOver = false;
  void platform?.ended.then(({ code, signal }) => {
    if (!isOver)
      process.stderr.write(`the platform of the tests has ended (${code ?? signal})\n${platform.stderr()}\n`);
  });
  const urls = platform && {
    FREEHOLD_TEST_APP_URL: platform.app,
    FREEHOLD_TEST_MANAGEMENT_URL: platform.management,
  };
  const child = spawn(command, words, { env: { ...process.env, ...urls }, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  isOver = true;
  await platform?.kill();
  return typeof code === 'number' ? code : 1;
}

process.exitCode = await main(process.argv.slice(2));
