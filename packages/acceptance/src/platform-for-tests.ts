import { after, type TestContext } from 'node:test';
import { type Gateways, type Platform, type StartOptions, startPlatform } from './platform.ts';

/**
 * The platform that a test file talks to: the one named by `FREEHOLD_TEST_APP_URL` and
 * `FREEHOLD_TEST_MANAGEMENT_URL`, else one started for this file and ended after its tests. What one file does to all of a
 * platform, the others meet: a file that fails dozens of sign-ins has a platform of its own, since an address may fail a
 * hundred in a quarter of an hour.
 */
export async function platformForTests(): Promise<Gateways> {
  const app = process.env.FREEHOLD_TEST_APP_URL;
  const management = process.env.FREEHOLD_TEST_MANAGEMENT_URL;
  if (app !== undefined && management !== undefined) return { app, management };
  return platformOfFile();
}

/** A platform of one test file's own, ended after its tests. */
export async function platformOfFile(options: StartOptions = {}): Promise<Platform> {
  const platform = await startPlatform(options);
  after(() => platform.kill());
  return platform;
}

/** A platform of one test's own, ended with it however it ends. */
export async function platformOf(context: TestContext, options: StartOptions = {}): Promise<Platform> {
  const platform = await startPlatform(options);
  context.after(() => platform.kill());
  return platform;
}
