/** A real browser on the console. Tests name what they click by role and name, as those do who cannot see the screen. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, type TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { netMilliseconds } from '../eventually.ts';
import { type Platform, type StartOptions, startPlatform } from '../platform.ts';

/** The shell first: it draws no window of its own, and takes a third less of the processor. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);
const named = process.env.FREEHOLD_TEST_BROWSER;
const program = (named === undefined ? programs : [named]).find((path) => existsSync(path));

/** Why browser tests cannot run, and what to do; `false` where they can. */
export const skip: string | false =
  program === undefined &&
  'not run: no Chromium is installed; `apt-get install chromium-headless-shell` brings one, or name one in FREEHOLD_TEST_BROWSER';

let launched: Promise<Browser> | undefined;
let shared: Promise<Platform> | undefined;
/** Files of this process whose tests are not over, and that use the browser or the shared platform. */
let files = 0;

/** One browser for all tests of a process; each test has a context, and so cookies, of its own. */
function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    timeout: netMilliseconds,
    ...(program === undefined ? {} : { executablePath: program }),
    args: [
      '--no-sandbox',
      '--headless',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
  return launched;
}

/**
 * A platform that serves the console as `npm run build` has built it. Without options the files of a process share one,
 * in which each test has an org of its own.
 */
export async function consolePlatform(options?: StartOptions): Promise<Platform> {
  const start = () => startPlatform({ ...options, env: { FREEHOLD_CONSOLE: 'on', ...options?.env } });
  endWithFiles();
  if (options === undefined) {
    shared ??= start();
    return shared;
  }
  const platform = await start();
  after(() => platform.kill());
  return platform;
}

/** Closes the browser and the shared platform after the last of the files of this process that called it. */
export function endWithFiles(): void {
  files++;
  after(async () => {
    if (--files > 0) return;
    const [browser, platform] = [launched, shared];
    launched = undefined;
    shared = undefined;
    await (await browser)?.close();
    await (await platform)?.kill();
  });
}

/** A browser that is watched: a test fails by what its pages did unseen. */
export interface WatchedContext {
  readonly context: BrowserContext;
  newPage(): Promise<Page>;
  /** Errors of scripts, breaches of the policy, dialogs, and requests to others than the platform. */
  faults(): readonly string[];
  readonly firstFault: Promise<string>;
}

/** Opens a browser for one test, with all sections of the navigation open. When the test ends there must be no fault. */
export async function openBrowser(
  test: TestContext,
  platform: Pick<Platform, 'app' | 'management'>,
  options: BrowserContextOptions = {},
): Promise<WatchedContext> {
  const localStorage = [{ name: 'freehold.sections', value: 'Data,Access,People,Automation,Release,Org' }];
  const { origin } = new URL(platform.management);
  const storageState = { cookies: [], origins: [{ origin, localStorage }] };
  const watched = await watchedContext(platform, { storageState, ...options });
  test.after(async () => {
    await watched.context.close();
    assert.deepEqual(watched.faults(), []);
  });
  return watched;
}

export async function watchedContext(
  { app, management }: Pick<Platform, 'app' | 'management'>,
  options: BrowserContextOptions = {},
): Promise<WatchedContext> {
  const context = await (await browser()).newContext({ baseURL: management, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(netMilliseconds);
  const found: string[] = [];
  const first = Promise.withResolvers<string>();
  const note = (fault: string): void => {
    found.push(fault);
    first.resolve(fault);
  };
  const own = [app, management].map((url) => new URL(url).origin);
  context.on('weberror', (error) => note(`an error of a script: ${error.error().message}`));
  context.on('dialog', (dialog) => {
    note(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('console', (message) => {
    // A refused call is part of many journeys, and the browser notes each as an error.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) note(`an error in the console: ${message.text()}`);
  });
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && !own.includes(origin)) note(`a request to ${request.url()}`);
  });
  return { context, newPage: () => context.newPage(), faults: () => found, firstFault: first.promise };
}

/** Whether a request is a call of the API: the console fetches the files of its later parts too. */
export function isCall(request: Request): boolean {
  return request.resourceType() === 'fetch' && !new URL(request.url()).pathname.startsWith('/assets/');
}
